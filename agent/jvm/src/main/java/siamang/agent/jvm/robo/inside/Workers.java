package siamang.agent.jvm.robo.inside;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.ReentrantLock;
import siamang.agent.jvm.robo.shared.Hidden;

/** Whom a thread works for. A pool gives a worker that was stopped a successor, which does what the dead process had planned. */
final class Workers {
    /** What a thread does, and the pool that this is of; each a way through fields, which later JDKs have changed. */
    private static final String[][] WAYS = {{"target", "this$0"}, {"holder", "task", "this$0"}};

    private static final Hidden LOCK = new Hidden(ThreadPoolExecutor.class, "mainLock");
    /** The JDK's own, whatever a class of the app's has made of it. */
    private static final MethodHandle SHUT_DOWN = shutDown();

    private Workers() {
    }

    /**
     * Whether it works for the JDK itself, which does such as time-outs for whoever asks, and must in the next life, too. Then
     * nothing is left for it to do.
     */
    static boolean isLeftToEverybody(Thread thread) {
        ThreadPoolExecutor pool = poolOf(thread);
        boolean isJdks = pool != null && pool.getClass() == ScheduledThreadPoolExecutor.class
                && pool.getThreadFactory().getClass().getName().startsWith(CompletableFuture.class.getName());
        if (isJdks) {
            pool.getQueue().clear();
        }
        return isJdks;
    }

    /**
     * What it works for has no more work and no more workers, unless it is among those that were ended already. Nobody waits
     * for its lock here: who holds it may have been stopped.
     */
    static void endPoolOf(Thread thread, Set<ThreadPoolExecutor> ended) {
        ThreadPoolExecutor pool = poolOf(thread);
        if (pool == null || ended.contains(pool)) {
            return;
        }
        ReentrantLock lock = LOCK.of(pool);
        if (!lock.tryLock()) {
            return;
        }
        try {
            SHUT_DOWN.invoke(pool);
            ended.add(pool);
        } catch (Throwable e) {
            // A class of the app's was told that it is over. Nobody is left to care.
            ended.add(pool);
        } finally {
            lock.unlock();
        }
    }

    /** Null if it is of no pool, or of one that cannot be seen here. */
    static ThreadPoolExecutor poolOf(Thread thread) {
        for (String[] way : WAYS) {
            Object at = thread;
            Class<?> owner = Thread.class;
            for (String name : way) {
                at = at == null ? null : field(owner, at, name);
                owner = at == null ? null : at.getClass();
            }
            if (at instanceof ThreadPoolExecutor pool) {
                return pool;
            }
        }
        return null;
    }

    private static MethodHandle shutDown() {
        try {
            MethodHandles.Lookup within = MethodHandles.privateLookupIn(ThreadPoolExecutor.class, MethodHandles.lookup());
            return within.findSpecial(ThreadPoolExecutor.class, "shutdownNow", MethodType.methodType(List.class), ThreadPoolExecutor.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the host's JVM was started without what it needs", e);
        }
    }

    private static Object field(Class<?> owner, Object of, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Another JDK, or a runnable that is no worker.
            return null;
        }
    }
}
