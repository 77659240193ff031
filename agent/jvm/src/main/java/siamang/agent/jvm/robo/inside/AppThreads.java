package siamang.agent.jvm.robo.inside;

import android.os.SystemClock;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.LockSupport;
import siamang.agent.jvm.robo.inside.Sleeper.Kind;

/**
 * The app's background threads: which of them work, and which sleep until a moment of device time. A step is over when
 * they are done, or the same run would come out differently on another machine.
 */
final class AppThreads {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** How long sleepers may take to notice that they were woken. */
    private static final long GIVE_UP_NS = 3_000_000_000L;
    /** A thread without a processor that the system does not call waiting for one waits for another thread, after so long. */
    private static final long STUCK_NS = 50_000_000;
    /** Sleepers are woken when the clock has moved; this is for those of a life that is over. A thousand may sleep at once. */
    private static final long LOOK_MS = 5_000;

    /** Later JVMs only say that they do not do it. */
    private static final boolean STOPPABLE = Runtime.version().feature() < 20;
    /** How long threads of a dead process may take to end. */
    private static final long STOP_NS = 100_000_000;
    /** So long after it was told to stop a thread is told again. */
    private static final long STOP_AGAIN_NS = 15_000_000;
    /** So many looks before it is asked whether they can hear. */
    private static final int DEAF_ROUNDS = 3;

    private static final int SHORT_PAUSES = 20;
    private static final long SHORT_PAUSE_NS = 50_000;

    private final ThreadGroup group = Thread.currentThread().getThreadGroup();
    private final Thread main = Thread.currentThread();
    private final Map<Long, Long> cpu = new HashMap<>();
    private final List<Sleeper> sleepers = new ArrayList<>();
    private final OsThreads system = OsThreads.beforeAnyApp();
    private final List<Thread> owned = new ArrayList<>();
    /** Those of them that have worked since the look before. */
    private final List<Thread> movers = new ArrayList<>();
    /** Where threads began that were told to be restless; once is enough. */
    private final Set<String> restless = new HashSet<>();
    /** The same for places that wait by the real clock. */
    private final Set<String> realWaits = new HashSet<>();
    private final Patience patience = new Patience();
    private long bells;
    private Thread[] list = new Thread[64];

    /** By all threads of the app together, as far as they were looked at. */
    private long used;
    private boolean moved;
    private boolean rested;

    /**
     * Waits until no thread of the app is at work; false if one did not stop. Java's word for it is to be had quickly, but
     * it calls a thread waiting that was woken a moment ago; {@code sure} asks the system, too, which takes a while.
     */
    boolean await(AppProcess process, boolean sure) throws InterruptedException {
        long still = System.nanoTime();
        boolean waiting = false;
        int rounds = 0;
        int quiet = 0;
        while (quiet < 2 && look(process)) {
            boolean runs = moved || sure && system.anyRuns();
            if (!runs && wouldRun()) {
                // Such as for the end of a class's initialisation by another, which may itself be waiting for ever.
                runs = System.nanoTime() - still < STUCK_NS || system.anyRuns();
            } else if (runs) {
                still = System.nanoTime();
            }
            if (!runs) {
                if (!sure) {
                    break;
                }
                // One look at many threads is not one moment: a thread already looked at may have been woken by the
                // next. So nobody may run, and nobody may have run between two looks.
                quiet++;
                continue;
            }
            quiet = 0;
            long now = System.nanoTime();
            if (!waiting) {
                waiting = true;
                patience.begin(used, now);
            }
            if (patience.isOver(used, now)) {
                patience.end(used, now);
                tellRestless();
                return false;
            }
            pause(rounds++);
        }
        if (waiting) {
            patience.end(used, System.nanoTime());
        }
        return true;
    }

    /** It is sure that they are at rest, and the main thread wakes none before it moves the clock. */
    void restUntilTheClockMoves() {
        rested = true;
    }

    /** Waits until it is sure that they are at rest, in the midst of something else that the main thread does. */
    void rest(AppProcess process) {
        if (rested) {
            rested = false;
            return;
        }
        try {
            await(process, true);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a thread has to do is mostly done in less than the millisecond that is the shortest sleep. */
    private static void pause(int rounds) throws InterruptedException {
        if (rounds < SHORT_PAUSES) {
            LockSupport.parkNanos(SHORT_PAUSE_NS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        } else {
            Thread.sleep(1);
        }
    }

    /** What goes on beside the steps is not the same in every run. A thread is known by where it began, which is. */
    private void tellRestless() {
        for (Thread thread : movers) {
            StackTraceElement[] stack = thread.getStackTrace();
            int first = stack.length - 1;
            while (first > 0 && stack[first].getClassName().startsWith("java.")) {
                first--;
            }
            String where = first < 0 ? thread.getName() : stack[first].getClassName() + "." + stack[first].getMethodName();
            if (restless.add(where)) {
                JvmBackend.get().events.warn("the same seed may not give the same run", "a thread of the app works beside the steps, in " + where);
            }
        }
    }

    /**
     * Who waits by the real clock goes on at a chance moment of the device's, or never. What the app's own code calls waits by
     * the device's; this is what it has others wait for.
     */
    void tellRealWaits(AppProcess process) {
        look(process);
        for (Thread thread : owned) {
            if (thread.getState() == Thread.State.TIMED_WAITING && !sleeps(thread)) {
                String where = placeOfWait(thread.getStackTrace(), process);
                if (where != null && realWaits.add(where)) {
                    JvmBackend.get().events.warn("the app waits in real time", where);
                }
            }
        }
    }

    private boolean sleeps(Thread thread) {
        synchronized (sleepers) {
            for (Sleeper sleeper : sleepers) {
                if (sleeper.thread == thread && sleeper.kind != Kind.BELL) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The app's method that has called what waits; null if it is a pool that waits for work, or a thread of the framework's. */
    private static String placeOfWait(StackTraceElement[] stack, AppProcess process) {
        for (StackTraceElement frame : stack) {
            String type = frame.getClassName();
            boolean ofJdk = type.startsWith("java.") || type.startsWith("jdk.") || type.startsWith("sun.");
            if (!ofJdk) {
                return process.loads(type) ? type + "." + frame.getMethodName() : null;
            }
            if (type.equals("java.util.concurrent.ThreadPoolExecutor") && frame.getMethodName().equals("getTask")) {
                return null;
            }
        }
        return null;
    }

    /** A step is over; the next one has patience of its own. */
    void stepEnds() {
        patience.refill();
    }

    /**
     * Whether one could go on, but for a processor, a safepoint or a lock of the virtual machine. To Java a thread in a
     * system call runs, too.
     */
    private boolean wouldRun() {
        for (Thread thread : owned) {
            if (thread.getState() == Thread.State.RUNNABLE) {
                StackTraceElement[] stack = thread.getStackTrace();
                if (stack.length == 0 ? thread.isAlive() : !stack[0].isNativeMethod()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Notes what the app's threads have used and whether that moved since the last look; false if there are none. */
    private boolean look(AppProcess process) {
        int count = group.enumerate(list, true);
        while (count == list.length) {
            list = new Thread[count * 2];
            count = group.enumerate(list, true);
        }
        // Ended threads are forgotten at times; their numbers do not come back.
        if (cpu.size() > 2 * list.length) {
            cpu.clear();
        }
        owned.clear();
        movers.clear();
        moved = false;
        for (int i = 0; i < count; i++) {
            Thread thread = list[i];
            if (thread == main || !process.owns(thread)) {
                continue;
            }
            owned.add(thread);
            long now = THREADS.getThreadCpuTime(thread.getId());
            Long before = cpu.put(thread.getId(), now);
            if (before == null || now > before) {
                moved = true;
                movers.add(thread);
                used += Math.max(0, now - (before == null ? 0 : before));
            }
        }
        java.util.Arrays.fill(list, 0, count, null);
        return !owned.isEmpty();
    }

    /**
     * Threads of a dead process would keep its classes, and go on into the next life; up to Java 19 they can be stopped, and with
     * a later one most end when they are interrupted. What is stopped in a task may go on with the next one, and who is stopped at
     * work may have a successor: so it is done until none is left, or those that are do not hear of it. Returns one that is left
     * and that nobody can stop, in words, or null.
     */
    String stopAll(AppProcess process) {
        long end = System.nanoTime() + STOP_NS;
        int rounds = 0;
        Map<Thread, Long> told = new HashMap<>();
        Set<ThreadPoolExecutor> pools = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Thread> left = stopOnce(process, told, pools);
        while (!left.isEmpty() && System.nanoTime() < end && !(rounds > DEAF_ROUNDS && areDeaf(left))) {
            try {
                left.get(0).join(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
            rounds++;
            left = stopOnce(process, told, pools);
        }
        for (Thread thread : told.keySet()) {
            thread.setContextClassLoader(AppProcess.GONE);
        }
        cpu.clear();
        owned.clear();
        movers.clear();
        synchronized (sleepers) {
            sleepers.clear();
            sleepers.notifyAll();
        }
        for (Thread thread : left) {
            if (!STOPPABLE && thread.isAlive()) {
                StackTraceElement[] stack = thread.getStackTrace();
                return thread.getName() + (stack.length == 0 ? "" : " in " + stack[0]);
            }
        }
        return null;
    }

    /**
     * Those of its threads that were alive. Each is told to stop at once, and again after a while: one that is on its way out
     * must not be stopped there, or it keeps a lock for ever.
     */
    @SuppressWarnings({"deprecation", "removal"})
    private List<Thread> stopOnce(AppProcess process, Map<Thread, Long> told, Set<ThreadPoolExecutor> pools) {
        List<Thread> found = new ArrayList<>();
        int count = group.enumerate(list, true);
        while (count == list.length) {
            list = new Thread[count * 2];
            count = group.enumerate(list, true);
        }
        for (int i = 0; i < count; i++) {
            Thread thread = list[i];
            if (thread == main || !process.owns(thread)) {
                continue;
            }
            if (Workers.isLeftToEverybody(thread)) {
                thread.setContextClassLoader(null);
                continue;
            }
            found.add(thread);
            long now = System.nanoTime();
            Long before = told.get(thread);
            if (before == null || now - before > STOP_AGAIN_NS) {
                told.put(thread, now);
                Workers.endPoolOf(thread, pools);
                if (STOPPABLE) {
                    thread.stop();
                } else {
                    Loopers.quit(thread);
                    thread.interrupt();
                }
            }
        }
        java.util.Arrays.fill(list, 0, count, null);
        return found;
    }

    /** They wait in system calls, or for locks of such, and are stopped when those return. */
    private static boolean areDeaf(List<Thread> threads) {
        for (Thread thread : threads) {
            StackTraceElement[] stack = thread.getStackTrace();
            Thread.State state = thread.getState();
            boolean inSystem = state == Thread.State.RUNNABLE && stack.length > 0 && stack[0].isNativeMethod();
            if (!inSystem && state != Thread.State.BLOCKED) {
                return false;
            }
        }
        return true;
    }

    /** On a thread of the app: returns when the device's clock has moved on by so much. */
    void sleep(long ms) throws InterruptedException {
        AppProcess process = AppProcess.ofThread();
        Sleeper sleeper = new Sleeper(after(ms), Kind.ASLEEP);
        synchronized (sleepers) {
            sleepers.add(sleeper);
            try {
                while (!sleeper.woken && process == AppProcess.current() && Thread.currentThread().getContextClassLoader() != AppProcess.GONE) {
                    sleepers.wait(LOOK_MS);
                }
            } finally {
                sleepers.remove(sleeper);
            }
        }
        if (!sleeper.woken) {
            // Its process is over: it ends here, or waits for ever.
            AppProcess.ofThread();
            throw new AppProcess.Ended();
        }
    }

    /** The same, whoever interrupts it; that it was is known afterwards. */
    void sleepSoundly(long ms) {
        long end = SystemClock.uptimeMillis() + ms;
        boolean interrupted = false;
        for (long left = ms; left > 0; left = end - SystemClock.uptimeMillis()) {
            try {
                sleep(left);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** On a thread of the app: as LockSupport parks it, but until the device's clock has moved on by so much. */
    void park(Object blocker, long ms) {
        AppProcess.ofThread();
        Sleeper sleeper = new Sleeper(after(ms), Kind.PARKED);
        synchronized (sleepers) {
            sleepers.add(sleeper);
        }
        try {
            LockSupport.park(blocker);
        } finally {
            synchronized (sleepers) {
                sleepers.remove(sleeper);
            }
        }
    }

    /** What a thread of the app waits for, and for how long at most. */
    interface Wait<T> {
        /** Waits for as long as the JDK can. */
        T forEver() throws Exception;

        /** What the wait answers when its time is over. */
        T atLast() throws Exception;
    }

    /** On a thread of the app: waits as the JDK does, but until the device's clock has moved on by so much. */
    <T> T waitFor(long ms, Wait<T> wait) throws Exception {
        AppProcess.ofThread();
        Sleeper sleeper = new Sleeper(after(ms), Kind.WAITING);
        synchronized (sleepers) {
            sleepers.add(sleeper);
        }
        Timekeeper keeper = sleeper.thread == main ? new Timekeeper(this) : null;
        boolean over = false;
        try {
            return wait.forEver();
        } catch (InterruptedException e) {
            over = isWoken(sleeper);
            if (!over) {
                throw e;
            }
        } finally {
            synchronized (sleepers) {
                sleepers.remove(sleeper);
            }
            if (keeper != null) {
                keeper.end();
            }
            // It was woken, but what it waited for came first.
            if (sleeper.woken && !over) {
                Thread.interrupted();
            }
        }
        return wait.atLast();
    }

    private boolean isWoken(Sleeper sleeper) {
        synchronized (sleepers) {
            return sleeper.woken;
        }
    }

    /** Rings when the device's clock has moved on to there. */
    Sleeper ringAt(long due, Runnable bell) {
        synchronized (sleepers) {
            Sleeper sleeper = new Sleeper(due, bells++, bell);
            sleepers.add(sleeper);
            return sleeper;
        }
    }

    void forget(Sleeper sleeper) {
        synchronized (sleepers) {
            sleepers.remove(sleeper);
        }
    }

    /** The moment so much later; whoever waits for longer than there is time waits for ever. */
    private static long after(long ms) {
        long now = SystemClock.uptimeMillis();
        return ms > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + ms;
    }

    /** When the next sleeper is due; Long.MAX_VALUE if none is. */
    long nextDue() {
        long next = Long.MAX_VALUE;
        synchronized (sleepers) {
            for (Sleeper sleeper : sleepers) {
                next = sleeper.woken ? next : Math.min(next, sleeper.due);
            }
        }
        return next;
    }

    /**
     * Those that are due by now go on, the earliest first, and each has come to rest before the next one does. Which of them
     * says something first would else be chance.
     */
    void wake(AppProcess process) throws InterruptedException {
        long now = SystemClock.uptimeMillis();
        for (Sleeper next = firstDue(now); next != null; next = firstDue(now)) {
            synchronized (sleepers) {
                next.wake();
                sleepers.notifyAll();
                if (!next.answers()) {
                    sleepers.remove(next);
                }
            }
            next.ring();
            long end = System.nanoTime() + GIVE_UP_NS;
            while (isAsleep(next) && System.nanoTime() < end) {
                Thread.sleep(1);
            }
            await(process, true);
        }
    }

    private Sleeper firstDue(long now) {
        Sleeper first = null;
        synchronized (sleepers) {
            for (Sleeper sleeper : sleepers) {
                if (!sleeper.woken && sleeper.due <= now && (first == null || sleeper.isBefore(first))) {
                    first = sleeper;
                }
            }
        }
        return first;
    }

    private boolean isAsleep(Sleeper sleeper) {
        synchronized (sleepers) {
            return sleepers.contains(sleeper);
        }
    }
}
