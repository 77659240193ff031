package siamang.agent.device;

import android.app.IActivityController;
import android.content.ComponentName;
import android.content.Intent;
import siamang.agent.core.EventSink;
import siamang.agent.core.Wire;

/**
 * Hears of crashes and ANRs before the system acts on them. The system waits for each answer, and from Android 10 on holds
 * the lock of all windows meanwhile, so nothing here does more than put an event into a queue. The stack of an app that
 * hangs, which is killed by the answer, is read by another thread: the system has written it down before.
 */
final class Controller extends IActivityController.Stub {
    private static final int GO_ON = 0;
    private static final int WAIT = 1;
    private static final int KILL = -1;

    private final EventSink events;
    private final AnrStacks stacks;
    private volatile String target = "";

    Controller(EventSink events, AnrStacks stacks) {
        this.events = events;
        this.stacks = stacks;
    }

    void target(String pkg) {
        target = pkg;
    }

    @Override
    public boolean activityStarting(Intent intent, String pkg) {
        ComponentName component = intent == null ? null : intent.getComponent();
        String name = component == null ? "" : component.getClassName();
        events.activity(false, pkg, name);
        if (intent != null && !target.isEmpty() && !target.equals(pkg)) {
            events.externalIntent(intent.getAction(), intent.getDataString(), component == null ? "" : component.flattenToString());
        }
        return true;
    }

    @Override
    public boolean activityResuming(String pkg) {
        events.activity(true, pkg, "");
        return true;
    }

    /** False kills the process at once, without a dialog in the way of the next step. */
    @Override
    public boolean appCrashed(String process, int pid, String shortMessage, String longMessage, long timeMillis, String stack) {
        boolean isNative = "Native crash".equals(shortMessage);
        events.crash(new EventSink.CrashReport(process, pid, isNative, shortMessage, longMessage, stack, Wire.SOURCE_CONTROLLER, timeMillis));
        return false;
    }

    @Override
    public int appEarlyNotResponding(String process, int pid, String annotation) {
        return GO_ON;
    }

    @Override
    public int appNotResponding(String process, int pid, String stats) {
        if (!belongsToTarget(process)) {
            events.anr(process, pid, stats, Wire.SOURCE_CONTROLLER);
            return WAIT;
        }
        stacks.tell(process, pid, stats, events);
        return KILL;
    }

    /** Killing the system server would end the run and restart the phone. */
    @Override
    public int systemNotResponding(String message) {
        events.warn("the system does not respond", message);
        return WAIT;
    }

    private boolean belongsToTarget(String process) {
        return !target.isEmpty() && process != null && (process.equals(target) || process.startsWith(target + ":"));
    }
}
