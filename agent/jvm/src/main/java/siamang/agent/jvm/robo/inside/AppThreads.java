package siamang.agent.jvm.robo.inside;

import android.os.SystemClock;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The app's background threads: which of them work, and which sleep until a moment of device time. A step is over when
 * they are done, or the same run would come out differently on another machine.
 */
final class AppThreads {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** Patience with threads that never stop working, in a step. */
    private static final long PATIENCE_NS = 250_000_000;
    /** Sleepers are woken when the clock moves; this is for the case that one was missed. A thousand may sleep at once. */
    private static final long LOOK_MS = 5_000;

    private final ThreadGroup group = Thread.currentThread().getThreadGroup();
    private final Thread main = Thread.currentThread();
    private final Map<Long, Long> cpu = new HashMap<>();
    private final List<long[]> sleepers = new ArrayList<>();
    private Thread[] list = new Thread[64];

    /** Waits until no thread of the app is at work; false if one did not stop. */
    boolean await(AppProcess process) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NS;
        int pause = 0;
        while (isAtWork(process)) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(0, pause == 0 ? 100_000 : 900_000);
            pause++;
        }
        return true;
    }

    private boolean isAtWork(AppProcess process) {
        int count = group.enumerate(list, true);
        while (count == list.length) {
            list = new Thread[count * 2];
            count = group.enumerate(list, true);
        }
        boolean working = false;
        for (int i = 0; i < count; i++) {
            Thread thread = list[i];
            if (thread == main || !process.owns(thread)) {
                continue;
            }
            if (thread.getState() != Thread.State.RUNNABLE) {
                cpu.remove(thread.getId());
                continue;
            }
            // Waiting in a system call looks like running, but costs no time.
            long now = THREADS.getThreadCpuTime(thread.getId());
            Long before = cpu.put(thread.getId(), now);
            working |= before == null || now > before;
        }
        java.util.Arrays.fill(list, 0, count, null);
        return working;
    }

    /** Threads of a dead process would keep its classes; on Java 17 they can still be stopped. */
    @SuppressWarnings({"deprecation", "removal"})
    void stopAll(AppProcess process) {
        int count = group.enumerate(list, true);
        for (int i = 0; i < count; i++) {
            Thread thread = list[i];
            if (thread != main && process.owns(thread)) {
                thread.setContextClassLoader(null);
                try {
                    thread.stop();
                } catch (UnsupportedOperationException e) {
                    thread.interrupt();
                }
            }
        }
        java.util.Arrays.fill(list, 0, count, null);
        cpu.clear();
        synchronized (sleepers) {
            sleepers.clear();
            sleepers.notifyAll();
        }
    }

    /** On a thread of the app: returns when the device's clock has moved on by so much. */
    void sleep(long ms) throws InterruptedException {
        AppProcess process = AppProcess.current();
        long[] wake = {SystemClock.uptimeMillis() + ms};
        synchronized (sleepers) {
            sleepers.add(wake);
            try {
                while (SystemClock.uptimeMillis() < wake[0] && process == AppProcess.current()) {
                    sleepers.wait(LOOK_MS);
                }
            } finally {
                sleepers.remove(wake);
            }
        }
    }

    /** When the next sleeper is due; Long.MAX_VALUE if none is. */
    long nextDue() {
        long next = Long.MAX_VALUE;
        synchronized (sleepers) {
            for (long[] wake : sleepers) {
                next = Math.min(next, wake[0]);
            }
        }
        return next;
    }

    /** The clock has moved: those that are due go on, and are at work from now on. */
    void wake() throws InterruptedException {
        synchronized (sleepers) {
            if (sleepers.isEmpty()) {
                return;
            }
            sleepers.notifyAll();
        }
        long now = SystemClock.uptimeMillis();
        long end = System.nanoTime() + PATIENCE_NS;
        while (nextDue() <= now && System.nanoTime() < end) {
            Thread.sleep(0, 100_000);
        }
    }
}
