package siamang.agent.jvm.robo.inside;

import java.util.Date;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.StampedLock;
import siamang.agent.jvm.robo.inside.AppThreads.Wait;

/**
 * What calls in the app's own code became that wait for something and for a time: the same calls, but the time is the
 * device's. Each begins as it was called, with a time that never passes, and is interrupted when the device's has.
 */
public final class TimedWaits {
    private static final long NS_PER_MS = 1_000_000;
    /** So many nanoseconds are more than a hundred years, and can be added to any moment. */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;

    private TimedWaits() {
    }

    public static void wait(Object lock, long ms) throws Exception {
        if (ms <= 0) {
            lock.wait(ms);
        } else {
            JvmBackend.get().threads.waitFor(ms, new Wait<Void>() {
                @Override
                public Void forEver() throws InterruptedException {
                    lock.wait();
                    return null;
                }

                @Override
                public Void atLast() {
                    return null;
                }
            });
        }
    }

    /** The same for the host's own stand-ins of what waits in the JDK. */
    static void waitQuietly(Object lock, long ms) throws InterruptedException {
        try {
            wait(lock, ms);
        } catch (InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void wait(Object lock, long ms, int ns) throws Exception {
        if (ms < 0 || ns < 0 || ns >= NS_PER_MS) {
            lock.wait(ms, ns);
        } else {
            wait(lock, ns > 0 && ms < Long.MAX_VALUE ? ms + 1 : ms);
        }
    }

    public static void join(Thread thread, long ms) throws Exception {
        if (ms <= 0) {
            thread.join(ms);
        } else {
            JvmBackend.get().threads.waitFor(ms, new Wait<Void>() {
                @Override
                public Void forEver() throws InterruptedException {
                    thread.join();
                    return null;
                }

                @Override
                public Void atLast() {
                    return null;
                }
            });
        }
    }

    public static void join(Thread thread, long ms, int ns) throws Exception {
        if (ms < 0 || ns < 0 || ns >= NS_PER_MS) {
            thread.join(ms, ns);
        } else {
            join(thread, ns > 0 && ms < Long.MAX_VALUE ? ms + 1 : ms);
        }
    }

    public static void sleep(long ms, int ns) throws InterruptedException {
        if (ms < 0 || ns < 0 || ns >= NS_PER_MS) {
            Thread.sleep(ms, ns);
        } else {
            AppHooks.sleep(ns > 0 && ms < Long.MAX_VALUE ? ms + 1 : ms);
        }
    }

    public static void sleep(TimeUnit unit, long time) throws InterruptedException {
        AppHooks.sleep(ms(unit.toNanos(time)));
    }

    public static void parkUntil(long deadline) {
        parkUntil(null, deadline);
    }

    public static void parkUntil(Object blocker, long deadline) {
        long ms = deadline - AppHooks.currentTimeMillis();
        if (ms > 0) {
            AppHooks.parkNanos(blocker, TimeUnit.MILLISECONDS.toNanos(ms));
        }
    }

    public static boolean await(Condition condition, long time, TimeUnit unit) throws Exception {
        return timed(condition, unit.toNanos(time), "await", ns -> condition.await(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static long awaitNanos(Condition condition, long ns) throws Exception {
        long end = AppHooks.nanoTime() + ns;
        long left = timed(condition, ns, "awaitNanos", condition::awaitNanos, long.class);
        // Of the real clock's time hardly anything has passed.
        return isTheJdks(condition, "awaitNanos", long.class) && ns > 0 ? end - AppHooks.nanoTime() : left;
    }

    public static boolean awaitUntil(Condition condition, Date deadline) throws Exception {
        long ms = deadline.getTime() - AppHooks.currentTimeMillis();
        return await(condition, ms, TimeUnit.MILLISECONDS);
    }

    public static Object poll(BlockingQueue<?> queue, long time, TimeUnit unit) throws Exception {
        return timed(queue, unit.toNanos(time), "poll", ns -> queue.poll(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static boolean offer(BlockingQueue<Object> queue, Object item, long time, TimeUnit unit) throws Exception {
        return timed(queue, unit.toNanos(time), "offer", ns -> queue.offer(item, ns, TimeUnit.NANOSECONDS), Object.class, long.class, TimeUnit.class);
    }

    public static Object pollFirst(BlockingDeque<?> deque, long time, TimeUnit unit) throws Exception {
        return timed(deque, unit.toNanos(time), "pollFirst", ns -> deque.pollFirst(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static Object pollLast(BlockingDeque<?> deque, long time, TimeUnit unit) throws Exception {
        return timed(deque, unit.toNanos(time), "pollLast", ns -> deque.pollLast(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static boolean offerFirst(BlockingDeque<Object> deque, Object item, long time, TimeUnit unit) throws Exception {
        return timed(deque, unit.toNanos(time), "offerFirst", ns -> deque.offerFirst(item, ns, TimeUnit.NANOSECONDS), Object.class, long.class, TimeUnit.class);
    }

    public static boolean offerLast(BlockingDeque<Object> deque, Object item, long time, TimeUnit unit) throws Exception {
        return timed(deque, unit.toNanos(time), "offerLast", ns -> deque.offerLast(item, ns, TimeUnit.NANOSECONDS), Object.class, long.class, TimeUnit.class);
    }

    public static boolean tryTransfer(TransferQueue<Object> queue, Object item, long time, TimeUnit unit) throws Exception {
        return timed(queue, unit.toNanos(time), "tryTransfer", ns -> queue.tryTransfer(item, ns, TimeUnit.NANOSECONDS), Object.class, long.class, TimeUnit.class);
    }

    public static Object exchange(Exchanger<Object> exchanger, Object item, long time, TimeUnit unit) throws Exception {
        return timed(exchanger, unit.toNanos(time), "exchange", ns -> exchanger.exchange(item, ns, TimeUnit.NANOSECONDS), Object.class, long.class, TimeUnit.class);
    }

    public static int awaitAdvanceInterruptibly(Phaser phaser, int phase, long time, TimeUnit unit) throws Exception {
        return timed(phaser, unit.toNanos(time), "awaitAdvanceInterruptibly", ns -> phaser.awaitAdvanceInterruptibly(phase, ns, TimeUnit.NANOSECONDS),
                int.class, long.class, TimeUnit.class);
    }

    /** Whoever gives up breaks it for the others, be it that he was interrupted or that he waited for too long. */
    public static int await(CyclicBarrier barrier, long time, TimeUnit unit) throws Exception {
        if (time <= 0 || !isTheJdks(barrier, "await", long.class, TimeUnit.class)) {
            return barrier.await(time, unit);
        }
        return JvmBackend.get().threads.waitFor(ms(unit.toNanos(time)), new Wait<Integer>() {
            @Override
            public Integer forEver() throws Exception {
                return barrier.await();
            }

            @Override
            public Integer atLast() throws TimeoutException {
                throw new TimeoutException();
            }
        });
    }

    public static long tryReadLock(StampedLock lock, long time, TimeUnit unit) throws Exception {
        return timed(lock, unit.toNanos(time), "tryReadLock", ns -> lock.tryReadLock(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static long tryWriteLock(StampedLock lock, long time, TimeUnit unit) throws Exception {
        return timed(lock, unit.toNanos(time), "tryWriteLock", ns -> lock.tryWriteLock(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static Object get(Future<?> future, long time, TimeUnit unit) throws Exception {
        if (future instanceof ForkJoinTask) {
            // It may work on others meanwhile, which nobody means to interrupt.
            return future.get(time, unit);
        }
        return timed(future, unit.toNanos(time), "get", ns -> future.get(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static boolean await(CountDownLatch latch, long time, TimeUnit unit) throws Exception {
        return timed(latch, unit.toNanos(time), "await", ns -> latch.await(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static boolean tryAcquire(Semaphore semaphore, long time, TimeUnit unit) throws Exception {
        return tryAcquire(semaphore, 1, time, unit);
    }

    public static boolean tryAcquire(Semaphore semaphore, int permits, long time, TimeUnit unit) throws Exception {
        return timed(semaphore, unit.toNanos(time), "tryAcquire", ns -> semaphore.tryAcquire(permits, ns, TimeUnit.NANOSECONDS),
                int.class, long.class, TimeUnit.class);
    }

    public static boolean tryLock(Lock lock, long time, TimeUnit unit) throws Exception {
        return timed(lock, unit.toNanos(time), "tryLock", ns -> lock.tryLock(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static boolean awaitTermination(ExecutorService executor, long time, TimeUnit unit) throws Exception {
        return timed(executor, unit.toNanos(time), "awaitTermination", ns -> executor.awaitTermination(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    public static Future<?> poll(CompletionService<?> service, long time, TimeUnit unit) throws Exception {
        return timed(service, unit.toNanos(time), "poll", ns -> service.poll(ns, TimeUnit.NANOSECONDS), long.class, TimeUnit.class);
    }

    /** A call with so many nanoseconds. */
    private interface Call<T> {
        T go(long ns) throws Exception;
    }

    private static <T> T timed(Object receiver, long ns, String method, Call<T> call, Class<?>... types) throws Exception {
        if (ns <= 0 || !isTheJdks(receiver, method, types)) {
            return call.go(ns);
        }
        return JvmBackend.get().threads.waitFor(ms(ns), new Wait<T>() {
            @Override
            public T forEver() throws Exception {
                return call.go(FOR_EVER);
            }

            @Override
            public T atLast() throws Exception {
                return call.go(0);
            }
        });
    }

    /** What the app has written itself waits in its own way, and ends up here with what it calls. */
    private static boolean isTheJdks(Object receiver, String method, Class<?>... types) {
        try {
            ClassLoader loader = receiver.getClass().getMethod(method, types).getDeclaringClass().getClassLoader();
            return loader == null || loader == TimedWaits.class.getClassLoader();
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    private static long ms(long ns) {
        return ns <= 0 ? 0 : (ns - 1) / NS_PER_MS + 1;
    }
}
