package siamang.agent.jvm.robo.inside;

import android.os.SystemClock;
import java.time.Duration;
import org.robolectric.shadows.ShadowSystemClock;

/**
 * Moves the device's clock while the main thread waits for something and for a time. It is the main thread that moves it
 * else, so that it would wait for ever.
 */
final class Timekeeper implements Runnable {
    private final AppThreads threads;
    private final AppProcess process = AppProcess.current();
    private final Thread thread = new Thread(this, "siamang-clock");
    private volatile boolean over;

    /** On the main thread, before it waits. */
    Timekeeper(AppThreads threads) {
        this.threads = threads;
        thread.setContextClassLoader(null);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (true) {
                // Also until the main thread does wait.
                threads.await(process, true);
                long next = Math.min(threads.nextDue(), Loopers.nextDue(SystemClock.uptimeMillis()));
                if (over || next == Long.MAX_VALUE || process.isDead()) {
                    return;
                }
                long ms = next - SystemClock.uptimeMillis();
                if (ms > 0) {
                    ShadowSystemClock.advanceBy(Duration.ofMillis(ms));
                }
                threads.wake(process);
            }
        } catch (InterruptedException e) {
            // The main thread has been stopped, and goes on without.
            return;
        }
    }

    /** On the main thread, when it waits no more: nobody else may look at the app's threads until this is over. */
    void end() {
        over = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
