package siamang.agent.jvm.robo.inside;

import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.Date;
import java.util.PriorityQueue;
import java.util.Timer;
import java.util.TimerTask;
import siamang.agent.jvm.robo.shared.Hidden;

/**
 * What {@code new Timer()} in the app's own code became: the JDK's timer, but by the device's clock. Who makes none, but gets
 * one, sees no difference, nor do the tasks, which keep their state where the JDK looks for it.
 */
public class VirtualTimer extends Timer {
    private static final Hidden LOCK = new Hidden(TimerTask.class, "lock");
    private static final Hidden STATE = new Hidden(TimerTask.class, "state");
    private static final Hidden NEXT = new Hidden(TimerTask.class, "nextExecutionTime");
    private static final Hidden PERIOD = new Hidden(TimerTask.class, "period");
    /** Of TimerTask. */
    private static final int VIRGIN = 0;
    private static final int SCHEDULED = 1;
    private static final int EXECUTED = 2;
    private static final int CANCELLED = 3;

    /** A timer that nobody holds ends its thread, as the JDK's does: some apps make one for each task. */
    private static final Cleaner CLEANER = Cleaner.create(work -> {
        Thread thread = new Thread(work, "siamang-reaper");
        thread.setContextClassLoader(null);
        thread.setDaemon(true);
        return thread;
    });

    private final Queue queue = new Queue();

    public VirtualTimer() {
        this(AppProcess.current().nextTimer());
    }

    public VirtualTimer(boolean isDaemon) {
        this(AppProcess.current().nextTimer(), isDaemon);
    }

    public VirtualTimer(String name) {
        this(name, false);
    }

    @SuppressWarnings("this-escape")
    public VirtualTimer(String name, boolean isDaemon) {
        super(name, true);
        // It has started a thread, which nobody needs.
        super.cancel();
        Thread thread = new Thread(queue, name);
        thread.setDaemon(isDaemon);
        AppHooks.start(thread);
        CLEANER.register(this, queue::close);
    }

    @Override
    public void schedule(TimerTask task, long delay) {
        begin(task, after(delay, "Negative delay."), 0);
    }

    @Override
    public void schedule(TimerTask task, Date time) {
        begin(task, time.getTime(), 0);
    }

    @Override
    public void schedule(TimerTask task, long delay, long period) {
        begin(task, after(delay, "Negative delay."), -positive(period));
    }

    @Override
    public void schedule(TimerTask task, Date first, long period) {
        begin(task, first.getTime(), -positive(period));
    }

    @Override
    public void scheduleAtFixedRate(TimerTask task, long delay, long period) {
        begin(task, after(delay, "Negative delay."), positive(period));
    }

    @Override
    public void scheduleAtFixedRate(TimerTask task, Date first, long period) {
        begin(task, first.getTime(), positive(period));
    }

    @Override
    public void cancel() {
        synchronized (queue) {
            queue.plans.clear();
            queue.close();
        }
    }

    @Override
    public int purge() {
        synchronized (queue) {
            int before = queue.plans.size();
            queue.plans.removeIf(plan -> (int) STATE.of(plan.task) == CANCELLED);
            return before - queue.plans.size();
        }
    }

    private static long after(long delay, String complaint) {
        if (delay < 0) {
            throw thrown(new IllegalArgumentException(complaint));
        }
        return AppHooks.currentTimeMillis() + delay;
    }

    private static long positive(long period) {
        if (period <= 0) {
            throw thrown(new IllegalArgumentException("Non-positive period."));
        }
        return Math.min(period, Long.MAX_VALUE >> 1);
    }

    /** A period below zero is that of a fixed delay, as the JDK has it. */
    private void begin(TimerTask task, long due, long period) {
        if (due < 0) {
            throw thrown(new IllegalArgumentException("Illegal execution time."));
        }
        synchronized (queue) {
            if (!queue.open) {
                throw thrown(new IllegalStateException("Timer already cancelled."));
            }
            synchronized (LOCK.<Object>of(task)) {
                if ((int) STATE.of(task) != VIRGIN) {
                    throw thrown(new IllegalStateException("Task already scheduled or cancelled"));
                }
                NEXT.put(task, due);
                PERIOD.put(task, period);
                STATE.put(task, SCHEDULED);
            }
            queue.add(new Plan(task, due, period, queue.made++));
        }
    }

    /** It is the app's mistake, and not this class's. */
    private static <T extends Throwable> T thrown(T mistake) {
        StackTraceElement[] stack = mistake.getStackTrace();
        int own = 0;
        while (own < stack.length && stack[own].getClassName().equals(VirtualTimer.class.getName())) {
            own++;
        }
        mistake.setStackTrace(Arrays.copyOfRange(stack, own, stack.length));
        return mistake;
    }

    private static final class Plan implements Comparable<Plan> {
        private final TimerTask task;
        private final long period;
        private final long number;
        private long due;

        Plan(TimerTask task, long due, long period, long number) {
            this.task = task;
            this.due = due;
            this.period = period;
            this.number = number;
        }

        @Override
        public int compareTo(Plan other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
        }
    }

    /** The tasks, and the work of the thread that does them. It does not hold the timer, so that it is known when nobody does. */
    private static final class Queue implements Runnable {
        private final PriorityQueue<Plan> plans = new PriorityQueue<>();
        private boolean open = true;
        private long made;

        synchronized void close() {
            open = false;
            notifyAll();
        }

        synchronized void add(Plan plan) {
            plans.add(plan);
            if (plans.peek() == plan) {
                notifyAll();
            }
        }

        @Override
        public void run() {
            try {
                boolean goesOn = true;
                while (goesOn) {
                    try {
                        goesOn = turn();
                    } catch (InterruptedException e) {
                        // A task that interrupts its own thread changes nothing, as with the JDK's timer.
                        continue;
                    }
                }
            } finally {
                // A task has failed, or the timer was cancelled: it takes no other.
                synchronized (this) {
                    open = false;
                    plans.clear();
                }
            }
        }

        /** Does the first task, or waits for it; false if there will be none. */
        private boolean turn() throws InterruptedException {
            Plan plan;
            synchronized (this) {
                while (plans.isEmpty() && open) {
                    wait();
                }
                plan = plans.peek();
                if (plan == null) {
                    return false;
                }
                long left = isDue(plan);
                if (left > 0) {
                    TimedWaits.waitQuietly(this, left);
                }
                if (left != 0) {
                    return true;
                }
            }
            plan.task.run();
            return true;
        }

        /** How long it has to wait; none if it is to be done now, and less than that if it is gone. */
        private long isDue(Plan plan) {
            synchronized (LOCK.<Object>of(plan.task)) {
                if ((int) STATE.of(plan.task) == CANCELLED) {
                    plans.poll();
                    return -1;
                }
                long now = AppHooks.currentTimeMillis();
                if (plan.due > now) {
                    return plan.due - now;
                }
                plans.poll();
                if (plan.period == 0) {
                    STATE.put(plan.task, EXECUTED);
                } else {
                    plan.due = plan.period < 0 ? now - plan.period : plan.due + plan.period;
                    NEXT.put(plan.task, plan.due);
                    plans.add(plan);
                }
                return 0;
            }
        }
    }
}
