package siamang.agent.device;

import android.app.UiAutomation;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.IPackageDataObserver;
import android.content.pm.PackageInfo;
import android.os.Build;
import java.net.URISyntaxException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import siamang.agent.core.AgentException;
import siamang.agent.core.Apps;
import siamang.agent.core.Log;
import siamang.agent.core.Names;

/** Starts, stops, clears and grants. */
final class DeviceApps implements Apps {
    private static final int POLLS = 40;
    private static final long POLL_MS = 50;
    private static final long CLEAR_SECONDS = 20;
    private static final String NO_SNAPSHOTS = "a phone has no snapshots of an app";

    private final ActivityService activities;
    private final PackageService packages;
    private final UiAutomation automation;
    private final ExitWatch exits;

    DeviceApps(ActivityService activities, PackageService packages, UiAutomation automation, ExitWatch exits) {
        this.activities = activities;
        this.packages = packages;
        this.automation = automation;
        this.exits = exits;
    }

    @Override
    public String start(String pkg, String activity) throws AgentException {
        need(pkg);
        String name = activity.isEmpty() ? packages.launcher(pkg) : Names.qualify(pkg, activity);
        Intent intent = new Intent(Intent.ACTION_MAIN);
        intent.addCategory(Intent.CATEGORY_LAUNCHER);
        intent.setComponent(new ComponentName(pkg, name));
        intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK | Intent.FLAG_ACTIVITY_RESET_TASK_IF_NEEDED);
        int result = activities.start(intent);
        if (result < 0) {
            throw new AgentException(AgentException.APP_NOT_FOUND, "the system did not start " + pkg + "/" + name, "code " + result);
        }
        return name;
    }

    /** An intent to view, held to this package: no other app hears of it, whatever the address says of components and flags. */
    @Override
    public void open(String pkg, String address) throws AgentException {
        need(pkg);
        Intent intent;
        try {
            intent = Intent.parseUri(address, 0);
        } catch (URISyntaxException e) {
            throw new AgentException(AgentException.UNSUPPORTED, "not an address: " + e.getMessage());
        }
        intent.setAction(Intent.ACTION_VIEW);
        intent.addCategory(Intent.CATEGORY_BROWSABLE);
        intent.setComponent(null);
        intent.setSelector(null);
        intent.setPackage(pkg);
        intent.setFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        int result = activities.start(intent);
        if (result < 0) {
            throw new AgentException(AgentException.UNSUPPORTED, pkg + " does not open this address", "code " + result);
        }
    }

    @Override
    public void stop(String pkg) throws AgentException, InterruptedException {
        exits.forget();
        activities.forceStop(pkg);
        for (int i = 0; i < POLLS; i++) {
            if (activities.processes(pkg).isEmpty()) {
                return;
            }
            Thread.sleep(POLL_MS);
        }
        throw new AgentException(AgentException.TIMEOUT, pkg + " still runs after it was stopped");
    }

    @Override
    public void clear(String pkg) throws AgentException, InterruptedException {
        need(pkg);
        final CountDownLatch done = new CountDownLatch(1);
        final boolean[] cleared = new boolean[1];
        boolean begun = activities.clear(pkg, new IPackageDataObserver.Stub() {
            @Override
            public void onRemoveCompleted(String name, boolean succeeded) {
                cleared[0] = succeeded;
                done.countDown();
            }
        });
        if (!begun || !done.await(CLEAR_SECONDS, TimeUnit.SECONDS) || !cleared[0]) {
            throw new AgentException(AgentException.UNSUPPORTED, "the system did not clear the data of " + pkg);
        }
    }

    @Override
    public int grant(String pkg, String permission) throws AgentException {
        PackageInfo info = need(pkg);
        if (Build.VERSION.SDK_INT < Since23.LEVEL) {
            return 0;
        }
        if (!permission.isEmpty()) {
            return grantOne(pkg, permission) ? 1 : 0;
        }
        int count = 0;
        for (String asked : info.requestedPermissions == null ? new String[0] : info.requestedPermissions) {
            // Most of them are no runtime permissions, and the system says so.
            count += grantOne(pkg, asked) ? 1 : 0;
        }
        return count;
    }

    @Override
    public void revoke(String pkg, String permission) throws AgentException {
        need(pkg);
        if (Build.VERSION.SDK_INT < Since23.LEVEL) {
            throw new AgentException(AgentException.UNSUPPORTED, "before API 23 permissions cannot be revoked");
        }
        try {
            if (!Since23.revoke(automation, pkg, permission, Services.user())) {
                throw new AgentException(AgentException.UNSUPPORTED, "the system did not revoke " + permission);
            }
        } catch (RuntimeException e) {
            throw Failures.of("revoke " + permission, e);
        }
    }

    @Override
    public int state(String pkg) throws AgentException {
        if (packages.info(pkg) == null) {
            return 0;
        }
        return INSTALLED | (packages.isEnabled(pkg) ? ENABLED : 0) | (activities.processes(pkg).isEmpty() ? 0 : RUNNING);
    }

    /** The host has `am kill` for this; through the agent there is no way that works on every level. */
    @Override
    public void recall(String pkg) throws AgentException {
        throw new AgentException(AgentException.UNSUPPORTED, "a process in the background is killed by the host");
    }

    @Override
    public long keep(String pkg, String snapshot) throws AgentException {
        throw new AgentException(AgentException.UNSUPPORTED, NO_SNAPSHOTS);
    }

    @Override
    public void restore(String pkg, String snapshot) throws AgentException {
        throw new AgentException(AgentException.UNSUPPORTED, NO_SNAPSHOTS);
    }

    private boolean grantOne(String pkg, String permission) {
        try {
            return Since23.grant(automation, pkg, permission, Services.user());
        } catch (RuntimeException e) {
            Log.note("not granted: " + permission, e);
            return false;
        }
    }

    private PackageInfo need(String pkg) throws AgentException {
        PackageInfo info = packages.info(pkg);
        if (info == null) {
            throw new AgentException(AgentException.APP_NOT_FOUND, pkg + " is not installed");
        }
        return info;
    }
}
