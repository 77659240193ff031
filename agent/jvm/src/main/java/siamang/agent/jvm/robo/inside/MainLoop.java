package siamang.agent.jvm.robo.inside;

import android.os.Looper;
import android.os.SystemClock;
import java.time.Duration;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowPausedLooper;
import org.robolectric.shadows.ShadowSystemClock;
import siamang.agent.core.Pace;
import siamang.agent.core.Settled;

/** Turns the main looper and the device's clock. Every method runs on the main thread. */
final class MainLoop {
    /** More rounds than this without a pause is an app that restarts its own activities for ever. */
    private static final int MAX_ROUNDS = 2_000;
    /** How far the clock moves at least for threads that never rest. */
    private static final long FRAME_MS = 16;

    /** As many messages as may be dispatched at one moment; each one more takes a millisecond. */
    private static final int AT_ONCE = 200;

    private final JvmBackend device;
    private int dispatched;
    private long moment;

    MainLoop(JvmBackend device) {
        this.device = device;
    }

    /** Lets time pass as it would on a phone: messages, services and activities when they are due. */
    void run(long ms) throws InterruptedException {
        long end = SystemClock.uptimeMillis() + ms;
        doAllDue(false);
        boolean atRest = false;
        boolean sure = false;
        while (!device.process().isDead()) {
            long now = SystemClock.uptimeMillis();
            long next = Math.min(nextDue(), end);
            boolean over = next >= end && now >= end;
            if (!sure) {
                // The clock moves only when it is sure that nobody would have worked before.
                atRest = doAllDue(true);
                sure = true;
                continue;
            }
            if (over) {
                return;
            }
            if (atRest) {
                advanceFromRest(next - now);
            } else {
                advance(Math.max(0, next - now));
            }
            doAllDue(false);
            sure = false;
        }
        advance(Math.max(0, end - SystemClock.uptimeMillis()));
    }

    /** Until nothing is due within the quiet time, or the cap. */
    Settled settle(Pace pace) throws InterruptedException {
        long start = SystemClock.uptimeMillis();
        boolean atRest = doAllDue(false);
        boolean sure = false;
        while (!device.process().isDead()) {
            long now = SystemClock.uptimeMillis();
            long next = nextDue();
            long least = start + pace.reactionMs;
            if (!sure && next > now) {
                atRest = doAllDue(true);
                sure = true;
                continue;
            }
            if (next > Math.max(now + pace.quietMs, least)) {
                if (now >= least) {
                    break;
                }
                next = least;
            }
            if (next - start > pace.capMs) {
                return new Settled(Settled.CAP, now - start, 0);
            }
            // Time passes for threads that never rest, too.
            long ms = Math.max(atRest ? 0 : FRAME_MS, next - now);
            if (sure && atRest) {
                advanceFromRest(ms);
            } else {
                advance(ms);
            }
            atRest = doAllDue(false);
            sure = false;
        }
        device.threads.tellRealWaits(device.process());
        return new Settled(atRest ? Settled.QUIET : Settled.CAP, SystemClock.uptimeMillis() - start, 0);
    }

    void forget() {
        dispatched = 0;
    }

    /** After each message; true if the looper should come back before the next one. */
    boolean dispatched() {
        long now = SystemClock.uptimeMillis();
        if (now != moment) {
            moment = now;
            dispatched = 0;
        }
        if (++dispatched <= AT_ONCE) {
            return false;
        }
        ShadowSystemClock.advanceBy(Duration.ofMillis(1));
        moment++;
        return true;
    }

    /** False if threads of the app were still at work when patience ended. */
    private boolean doAllDue(boolean sure) throws InterruptedException {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            looper().idle();
            // An animation moves the clock by itself, a frame at a time.
            device.threads.wake(device.process());
            if (device.process().isDead()) {
                return true;
            }
            if (TaskStack.get().reconcile()) {
                continue;
            }
            Services.get().reconcile();
            if (device.windows.moveFocus()) {
                continue;
            }
            boolean atRest = device.threads.await(device.process(), sure);
            if (looper().isIdle() || !atRest) {
                return atRest;
            }
        }
        return false;
    }

    /** The same when it is sure that nobody works, and nothing was done since that could have woken anybody. */
    private void advanceFromRest(long ms) {
        if (ms > 0) {
            device.threads.restUntilTheClockMoves();
            advance(ms);
        }
    }

    private static void advance(long ms) {
        if (ms > 0) {
            looper().idleFor(Duration.ofMillis(ms));
        }
    }

    private long nextDue() {
        Duration next = looper().getNextScheduledTaskTime();
        long message = next.isZero() ? Long.MAX_VALUE : next.toMillis();
        return Math.min(message, device.threads.nextDue());
    }

    private static ShadowPausedLooper looper() {
        return Shadow.extract(Looper.getMainLooper());
    }
}
