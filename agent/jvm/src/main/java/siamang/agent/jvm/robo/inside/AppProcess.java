package siamang.agent.jvm.robo.inside;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** One life of the app's process: what ends with it, and how it ended. */
final class AppProcess {
    private static volatile AppProcess current = new AppProcess(null, "", 0);

    /** That of threads of dead processes, also of those that did not end with theirs. Their own would keep its classes. */
    static final ClassLoader GONE = new ClassLoader(null) {
    };

    final ClassLoader loader;
    final String name;
    final int pid;
    /** The same in every life, so that a run can be repeated. */
    final Random random = new Random(0x5149414d414e47L);
    /** Whether a thread's own generator was set. */
    final ThreadLocal<Boolean> seeded = new ThreadLocal<>();
    private final AtomicInteger timers = new AtomicInteger();
    /** An executor replaces a worker that was stopped, so that the next life would have its tasks. */
    private final Set<VirtualScheduler> schedulers = Collections.newSetFromMap(new WeakHashMap<>());
    private volatile boolean dead;

    AppProcess(ClassLoader loader, String name, int pid) {
        this.loader = loader;
        this.name = name;
        this.pid = pid;
        this.dead = loader == null;
    }

    static AppProcess current() {
        return current;
    }

    /**
     * The process that runs, for a thread of it or of nobody; one of a dead process ends here. A thread's context loader, which
     * threads inherit, says whose it is.
     */
    static AppProcess ofThread() {
        AppProcess process = current;
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        while (loader == GONE) {
            // It catches whatever stops it, and goes on. Who is interrupted does not wait.
            Thread.interrupted();
            LockSupport.park();
        }
        boolean ofAnApp = loader != null && process.loader != null && loader.getClass() == process.loader.getClass();
        if (ofAnApp && loader != process.loader) {
            throw new Ended();
        }
        return process;
    }

    static void begin(AppProcess next) {
        current = next;
    }

    /** The name of the thread of a timer that was given none. */
    String nextTimer() {
        return "Timer-" + timers.getAndIncrement();
    }

    void has(VirtualScheduler scheduler) {
        synchronized (schedulers) {
            schedulers.add(scheduler);
        }
    }

    void endSchedulers() {
        List<VirtualScheduler> all;
        synchronized (schedulers) {
            all = new ArrayList<>(schedulers);
        }
        for (VirtualScheduler scheduler : all) {
            scheduler.end();
        }
    }

    boolean isDead() {
        return dead;
    }

    void die() {
        dead = true;
    }

    /** Threads inherit the context loader, so it says whose they are. */
    boolean owns(Thread thread) {
        return loader != null && thread.getContextClassLoader() == loader;
    }

    /** A class of this life, as opposed to the framework's. */
    boolean loads(String className) {
        try {
            return Class.forName(className, false, loader).getClassLoader() == loader;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Thrown through the app's code when it ends its own process. */
    static final class Ended extends ThreadDeath {
        private static final long serialVersionUID = 1;
    }
}
