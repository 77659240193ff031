package siamang.agent.device;

import android.os.Build;
import java.io.IOException;
import siamang.agent.core.AgentException;
import siamang.agent.core.EventSink;
import siamang.agent.core.ExitReasons;
import siamang.agent.core.Log;

/**
 * Notices that the app's process is gone, and asks the system why. An app that ends itself neither crashes nor hangs, so
 * nobody else tells of it. From Android 11 on the system keeps the reason.
 */
class ExitWatch {
    /** The reason is written down a moment after the process is gone. */
    private static final int TRIES = 8;
    private static final long PAUSE_MS = 100;

    private final ActivityService activities;
    private EventSink events;
    private int pid;

    ExitWatch(ActivityService activities) {
        this.activities = activities;
    }

    synchronized void open(EventSink sink) {
        events = sink;
    }

    /** What becomes of the process from here on is our doing. */
    synchronized void forget() {
        pid = 0;
    }

    /** Called with each look at the screen, so that who sees that the app is gone has heard before why. */
    synchronized void look(String pkg) throws InterruptedException {
        if (!knowsReasons() || pkg.isEmpty()) {
            return;
        }
        int before = pid;
        try {
            pid = activities.mainProcess(pkg);
            if (before == 0 || before == pid) {
                return;
            }
            String how = how(pkg, before);
            if (!how.isEmpty()) {
                events.exit(pkg, before, how);
            }
        } catch (AgentException e) {
            Log.note("not known why " + pkg + " ended: " + e.getMessage());
        } catch (IOException e) {
            Log.note("not known why " + pkg + " ended", e);
        }
    }

    private String how(String pkg, int gone) throws IOException, InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            String how = ExitReasons.of(print(pkg), gone, pkg);
            if (how != null) {
                return how;
            }
            Thread.sleep(PAUSE_MS);
        }
        return "";
    }

    boolean knowsReasons() {
        return Build.VERSION.SDK_INT >= Since30.LEVEL;
    }

    String print(String pkg) throws IOException {
        return Exec.run("dumpsys", "activity", "exit-info", pkg);
    }
}
