package siamang.agent.device;

import android.app.ActivityManager;
import android.app.ActivityManagerNative;
import android.app.IActivityController;
import android.app.IActivityManager;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.IPackageDataObserver;
import android.os.RemoteException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import siamang.agent.core.AgentException;

/** The activity manager. */
final class ActivityService {
    /** Each user of a phone has a range of its own. */
    private static final int UIDS_PER_USER = 100_000;

    private final IActivityManager manager;

    ActivityService() {
        this(ActivityManagerNative.getDefault());
    }

    ActivityService(IActivityManager manager) {
        this.manager = manager;
    }

    /** Null takes the controller away. */
    void setController(IActivityController controller, boolean sayMonkey) throws AgentException {
        Lookup.Found set = Lookups.SET_CONTROLLER.find();
        if (set.index == 0) {
            set.call(manager, controller, sayMonkey);
        } else {
            set.call(manager, controller);
        }
    }

    /** Negative results are the system's reasons not to start it. */
    int start(Intent intent) throws AgentException {
        try {
            return manager.startActivityAsUser(null, Services.SHELL, intent, null, null, null, 0, 0, null, null, Services.user());
        } catch (RemoteException | RuntimeException e) {
            throw Failures.of("start an activity", e);
        }
    }

    void forceStop(String pkg) throws AgentException {
        try {
            manager.forceStopPackage(pkg, Services.user());
        } catch (RemoteException | RuntimeException e) {
            throw Failures.of("stop an app", e);
        }
    }

    boolean clear(String pkg, IPackageDataObserver observer) throws AgentException {
        Lookup.Found clear = Lookups.CLEAR_DATA.find();
        int user = Services.user();
        Object done = clear.index == 0 ? clear.call(manager, pkg, false, observer, user) : clear.call(manager, pkg, observer, user);
        return (Boolean) done;
    }

    /** The processes that run code of a package for this user; the same app may run in a work profile, too. */
    List<Integer> processes(String pkg) throws AgentException {
        List<Integer> pids = new ArrayList<Integer>();
        for (ActivityManager.RunningAppProcessInfo process : running(pkg)) {
            pids.add(process.pid);
        }
        return pids;
    }

    /** The process that has the package's name, as its first one has; 0 if there is none. */
    int mainProcess(String pkg) throws AgentException {
        for (ActivityManager.RunningAppProcessInfo process : running(pkg)) {
            if (pkg.equals(process.processName)) {
                return process.pid;
            }
        }
        return 0;
    }

    private List<ActivityManager.RunningAppProcessInfo> running(String pkg) throws AgentException {
        List<ActivityManager.RunningAppProcessInfo> running;
        try {
            running = manager.getRunningAppProcesses();
        } catch (RemoteException | RuntimeException e) {
            throw Failures.of("list processes", e);
        }
        if (running == null) {
            return Collections.emptyList();
        }
        int user = Services.user(manager);
        List<ActivityManager.RunningAppProcessInfo> found = new ArrayList<ActivityManager.RunningAppProcessInfo>();
        for (ActivityManager.RunningAppProcessInfo process : running) {
            for (String name : process.pkgList == null ? new String[0] : process.pkgList) {
                if (name.equals(pkg) && process.uid / UIDS_PER_USER == user) {
                    found.add(process);
                }
            }
        }
        return found;
    }

    /** The activity on top of the front task, or null if there is none. */
    ComponentName top() throws AgentException {
        Lookup.Found tasks = Lookups.GET_TASKS.find();
        Object list = tasks.index == 0 ? tasks.call(manager, 1) : tasks.call(manager, 1, 0);
        if (list == null || ((List<?>) list).isEmpty()) {
            return null;
        }
        return (ComponentName) Lookups.TOP_ACTIVITY.find().get(((List<?>) list).get(0));
    }
}
