package siamang.agent.jvm.robo.inside;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the app's own scheduled executors became: the JDK's, whose queue asks each task how long it has to wait; these
 * answer by the device's clock. The JDK's waiting for so long in real time wakes it too early or too late: it asks again, or a
 * bell brings it to.
 */
public class VirtualScheduler extends ScheduledThreadPoolExecutor {
    private static final long NS_PER_MS = 1_000_000;

    /** What the call of this thread that is under way wants. */
    private final ThreadLocal<Wish> wish = new ThreadLocal<>();
    private final AtomicLong made = new AtomicLong();
    private final AppProcess process = AppProcess.current();

    private record Wish(long delayNs, long periodNs) {
    }

    public VirtualScheduler(int threads) {
        super(threads);
        process.has(this);
    }

    public VirtualScheduler(int threads, ThreadFactory factory) {
        super(threads, factory);
        process.has(this);
    }

    public VirtualScheduler(int threads, RejectedExecutionHandler handler) {
        super(threads, handler);
        process.has(this);
    }

    public VirtualScheduler(int threads, ThreadFactory factory, RejectedExecutionHandler handler) {
        super(threads, factory, handler);
        process.has(this);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        wish(delay, 0, unit);
        return super.schedule(command, delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> command, long delay, TimeUnit unit) {
        wish(delay, 0, unit);
        return super.schedule(command, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long delay, long period, TimeUnit unit) {
        wish(delay, period, unit);
        return super.scheduleAtFixedRate(command, delay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long delay, long period, TimeUnit unit) {
        wish(delay, 0, unit);
        return super.scheduleWithFixedDelay(command == null || unit == null ? command : new Again(command, unit.toNanos(period)), delay, period, unit);
    }

    /** What is missing the JDK complains about. */
    private void wish(long delay, long period, TimeUnit unit) {
        wish.set(unit == null ? null : new Wish(unit.toNanos(delay), unit.toNanos(period)));
    }

    /** With its process: it may be of a class of the app's that does not let itself be shut down. */
    void end() {
        hush(super.shutdownNow());
    }

    @Override
    public List<Runnable> shutdownNow() {
        List<Runnable> left = super.shutdownNow();
        hush(left);
        return left;
    }

    private static void hush(List<Runnable> left) {
        for (Runnable task : left) {
            if (task instanceof VirtualScheduler.Task<?> mine) {
                mine.hush();
            }
        }
    }

    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(Runnable command, RunnableScheduledFuture<V> inner) {
        Task<V> task = decorated(inner);
        if (command instanceof Again again) {
            again.task = task;
        }
        return task;
    }

    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(Callable<V> command, RunnableScheduledFuture<V> inner) {
        return decorated(inner);
    }

    private <V> Task<V> decorated(RunnableScheduledFuture<V> inner) {
        Wish asked = wish.get();
        Task<V> task = new Task<>(inner, asked.periodNs, made.getAndIncrement());
        task.dueIn(asked.delayNs);
        return task;
    }

    /** The first may be due without the worker that waits for it knowing. What is put to the front anew wakes one. */
    private void ring() {
        Runnable first = getQueue().peek();
        if (first instanceof Task<?> task && task.getDelay(TimeUnit.NANOSECONDS) <= 0 && getQueue().remove(first)) {
            getQueue().add(first);
        }
    }

    /** What is done again some time after it was done. */
    private static final class Again implements Runnable {
        private final Runnable command;
        private final long pauseNs;
        private volatile Task<?> task;

        Again(Runnable command, long pauseNs) {
            this.command = command;
            this.pauseNs = pauseNs;
        }

        @Override
        public void run() {
            command.run();
            task.dueIn(pauseNs);
        }
    }

    /** A task of the JDK's, but for the time that it is due at. */
    private final class Task<V> implements RunnableScheduledFuture<V> {
        private final RunnableScheduledFuture<V> inner;
        /** Of a fixed rate, else 0. */
        private final long periodNs;
        private final long number;
        private volatile long dueNs;
        private volatile Sleeper bell;

        Task(RunnableScheduledFuture<V> inner, long periodNs, long number) {
            this.inner = inner;
            this.periodNs = periodNs;
            this.number = number;
        }

        void dueIn(long delayNs) {
            long now = AppHooks.nanoTime();
            due(delayNs > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + Math.max(0, delayNs));
        }

        private void due(long ns) {
            dueNs = ns;
            hush();
            if (ns > AppHooks.nanoTime()) {
                bell = JvmBackend.get().threads.ringAt((ns - 1) / NS_PER_MS + 1, VirtualScheduler.this::ring);
            }
        }

        void hush() {
            Sleeper rung = bell;
            if (rung != null) {
                JvmBackend.get().threads.forget(rung);
            }
        }

        @Override
        public void run() {
            if (process != AppProcess.current()) {
                return;
            }
            if (periodNs > 0) {
                // Before it is done, as it goes back into the queue in the midst of it.
                due(dueNs + periodNs);
            }
            inner.run();
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean cancelled = inner.cancel(mayInterrupt);
            if (cancelled) {
                hush();
                if (getRemoveOnCancelPolicy()) {
                    VirtualScheduler.this.remove(this);
                }
            }
            return cancelled;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNs - AppHooks.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            if (other instanceof Task<?> task) {
                return dueNs != task.dueNs ? Long.compare(dueNs, task.dueNs) : Long.compare(number, task.number);
            }
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public boolean isPeriodic() {
            return inner.isPeriodic();
        }

        @Override
        public boolean isCancelled() {
            return inner.isCancelled();
        }

        @Override
        public boolean isDone() {
            return inner.isDone();
        }

        @Override
        public V get() throws InterruptedException, ExecutionException {
            return inner.get();
        }

        @Override
        public V get(long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
            return inner.get(time, unit);
        }

        @Override
        public String toString() {
            return inner.toString();
        }
    }
}
