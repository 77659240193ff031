package siamang.agent.jvm.robo.inside;

import android.os.Looper;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowLooper;
import org.robolectric.shadows.ShadowPausedLooper;
import org.robolectric.shadows.ShadowPausedMessageQueue;
import org.robolectric.shadows.ShadowPausedSystemClock;
import siamang.agent.jvm.robo.shared.Hidden;

/** The queues of all threads that have one. Each hears of every move of the clock, also when its thread is long gone. */
final class Loopers {
    private static final Hidden LISTENERS = new Hidden(ShadowPausedSystemClock.class, "staticListeners");
    private static final Hidden LISTENER = new Hidden(ShadowPausedMessageQueue.class, "clockListener");

    private Loopers() {
    }

    /** When the next message of a thread beside the main one is due, after now; Long.MAX_VALUE if none is. */
    static long nextDue(long now) {
        long next = Long.MAX_VALUE;
        for (Looper looper : ShadowLooper.getAllLoopers()) {
            if (looper != Looper.getMainLooper() && looper.getThread().isAlive()) {
                long due = ((ShadowPausedLooper) Shadow.extract(looper)).getNextScheduledTaskTime().toMillis();
                next = due > now ? Math.min(next, due) : next;
            }
        }
        return next;
    }

    /** A thread that waits for messages waits for no more of them, which no interruption would bring about. */
    static void quit(Thread thread) {
        for (Looper looper : ShadowLooper.getAllLoopers()) {
            if (looper.getThread() == thread) {
                looper.quit();
            }
        }
    }

    /** Those of threads that have ended need not hear of the clock. They are kept for nothing else, and every life leaves some. */
    static void forgetEnded() {
        Set<Object> heard = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Looper looper : ShadowLooper.getAllLoopers()) {
            if (looper.getThread().isAlive()) {
                heard.add(LISTENER.of(Shadow.extract(looper.getQueue())));
            }
        }
        List<Object> listeners = LISTENERS.of(null);
        listeners.removeIf(listener -> listener.getClass().getName().startsWith(ShadowPausedMessageQueue.class.getName()) && !heard.contains(listener));
    }
}
