package siamang.agent.jvm.robo.inside;

import android.content.ComponentName;
import android.content.Intent;
import android.net.Uri;
import java.util.ArrayList;
import java.util.List;
import siamang.agent.core.AgentException;
import siamang.agent.core.Apps;

/** Starts and stops the one app that is installed. */
final class JvmApps implements Apps {
    private final JvmBackend device;
    private final Boot boot;

    JvmApps(JvmBackend device, Boot boot) {
        this.device = device;
        this.boot = boot;
    }

    @Override
    public String start(String pkg, String activity) throws AgentException {
        check(pkg);
        if (device.process().isDead()) {
            device.main.call(boot::end);
            // The app's own code runs from here on: Application.onCreate is the first that can fail.
            begin();
        }
        String component = activity.isEmpty() ? device.manifest.launcherComponent : activity;
        Intent intent = new Intent(Intent.ACTION_MAIN).setComponent(new ComponentName(pkg, component)).setFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        device.main.act(() -> {
            if (activity.isEmpty()) {
                TaskStack.get().launchLater(intent.addCategory(Intent.CATEGORY_LAUNCHER));
            } else {
                TaskStack.get().openLater(intent);
            }
            device.loop.run(0);
        });
        return activity.isEmpty() ? device.manifest.launcher : activity;
    }

    private void begin() throws AgentException {
        device.main.call(() -> {
            try {
                boot.begin();
            } catch (Throwable e) {
                device.crashes.caught(e, Thread.currentThread());
            }
        });
    }

    @Override
    public void stop(String pkg) throws AgentException {
        check(pkg);
        device.process().die();
        end();
    }

    /** What the app has written is kept, also where its threads are not gone. */
    private void end() throws AgentException {
        String[] left = new String[1];
        device.main.call(() -> left[0] = boot.end());
        if (left[0] != null) {
            throw new AgentException(AgentException.UNSUPPORTED, "a thread of the app goes on, which this Java cannot stop", left[0]);
        }
    }

    @Override
    public void clear(String pkg) throws AgentException {
        check(pkg);
        device.main.call(device.storage::clear);
    }

    @Override
    public void recall(String pkg) throws AgentException {
        check(pkg);
        List<ActivityRecord> before = new ArrayList<>();
        List<Question.Request> asked = new ArrayList<>();
        device.main.act(() -> {
            TaskStack.get().leave();
            device.loop.run(0);
            for (ActivityRecord record : TaskStack.get().records()) {
                before.add(record.frozen());
            }
            asked.addAll(device.question.frozen());
        });
        device.process().die();
        end();
        begin();
        device.main.act(() -> {
            TaskStack.get().restoreLater(before, () -> device.question.thaw(asked));
            device.loop.run(0);
        });
    }

    @Override
    public int grant(String pkg, String permission) throws AgentException {
        check(pkg);
        List<String> names = permission.isEmpty() ? device.manifest.permissions : List.of(permission);
        device.main.act(() -> device.permissions.grant(names));
        return names.size();
    }

    @Override
    public void revoke(String pkg, String permission) throws AgentException {
        check(pkg);
        device.main.act(() -> device.permissions.revoke(permission));
    }

    @Override
    public void open(String pkg, String address) throws AgentException {
        check(pkg);
        Intent intent = new Intent(Intent.ACTION_VIEW, Uri.parse(address)).addCategory(Intent.CATEGORY_BROWSABLE).setPackage(pkg)
                .setFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        boolean[] known = {true};
        device.main.act(() -> {
            known[0] = TaskStack.opens(intent);
            if (known[0]) {
                TaskStack.get().openLater(intent);
                device.loop.run(0);
            }
        });
        if (!known[0]) {
            throw new AgentException(AgentException.APP_NOT_FOUND, "no activity of the app opens " + address);
        }
    }

    @Override
    public int state(String pkg) {
        if (!pkg.equals(device.manifest.pkg)) {
            return 0;
        }
        return INSTALLED | ENABLED | (device.process().isDead() ? 0 : RUNNING);
    }

    @Override
    public long keep(String pkg, String snapshot) throws AgentException {
        check(pkg);
        long[] bytes = new long[1];
        device.main.call(() -> bytes[0] = device.storage.keep(snapshot));
        return bytes[0];
    }

    @Override
    public void restore(String pkg, String snapshot) throws AgentException {
        check(pkg);
        device.main.call(() -> device.storage.restore(snapshot));
    }

    private void check(String pkg) throws AgentException {
        if (!pkg.equals(device.manifest.pkg)) {
            throw new AgentException(AgentException.APP_NOT_FOUND, pkg + " is not the app that runs here");
        }
    }
}
