package siamang.agent.jvm.robo.inside;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;

/** What a timer of the app became when its classes were loaded: the same, by the device's clock. */
public class AppTimer extends Timer {
    private static final Hidden STATE = new Hidden(TimerTask.class, "state");
    private static final Hidden NEXT = new Hidden(TimerTask.class, "nextExecutionTime");
    private static final Hidden PERIOD = new Hidden(TimerTask.class, "period");
    private static final Hidden LOCK = new Hidden(TimerTask.class, "lock");
    /** The states of a task. */
    private static final int NEW = 0;
    private static final int SCHEDULED = 1;
    private static final int DONE = 2;
    private static final int CANCELLED = 3;

    /** In the order in which they were scheduled; it guards itself and what follows. */
    private final List<TimerTask> tasks = new ArrayList<>();
    private boolean ended;

    public AppTimer() {
        this("Timer", false);
    }

    public AppTimer(boolean daemon) {
        this("Timer", daemon);
    }

    public AppTimer(String name) {
        this(name, false);
    }

    public AppTimer(String name, boolean daemon) {
        super(name, true);
        // The thread that it has started goes by the computer's clock.
        super.cancel();
        Thread thread = new Thread(this::work, name);
        thread.setDaemon(daemon);
        AppHooks.start(thread);
    }

    @Override
    public void schedule(TimerTask task, long delay) {
        add(task, after(delay), 0);
    }

    @Override
    public void schedule(TimerTask task, Date time) {
        add(task, time.getTime(), 0);
    }

    @Override
    public void schedule(TimerTask task, long delay, long period) {
        add(task, after(delay), -positive(period));
    }

    @Override
    public void schedule(TimerTask task, Date first, long period) {
        add(task, first.getTime(), -positive(period));
    }

    @Override
    public void scheduleAtFixedRate(TimerTask task, long delay, long period) {
        add(task, after(delay), positive(period));
    }

    @Override
    public void scheduleAtFixedRate(TimerTask task, Date first, long period) {
        add(task, first.getTime(), positive(period));
    }

    @Override
    public void cancel() {
        synchronized (tasks) {
            ended = true;
            tasks.clear();
            tasks.notifyAll();
        }
    }

    @Override
    public int purge() {
        synchronized (tasks) {
            int before = tasks.size();
            tasks.removeIf(AppTimer::isCancelled);
            return before - tasks.size();
        }
    }

    private static long after(long delay) {
        if (delay < 0) {
            throw new IllegalArgumentException("Negative delay.");
        }
        return AppHooks.currentTimeMillis() + delay;
    }

    private static long positive(long period) {
        if (period <= 0) {
            throw new IllegalArgumentException("Non-positive period.");
        }
        return period;
    }

    /** A period below zero is one from the end of a run, as a task itself has it. */
    private void add(TimerTask task, long time, long period) {
        if (time < 0) {
            throw new IllegalArgumentException("Illegal execution time.");
        }
        synchronized (tasks) {
            if (ended) {
                throw new IllegalStateException("Timer already cancelled.");
            }
            synchronized (LOCK.<Object>of(task)) {
                if (STATE.<Integer>of(task) != NEW) {
                    throw new IllegalStateException("Task already scheduled or cancelled");
                }
                NEXT.put(task, time);
                PERIOD.put(task, period);
                STATE.put(task, SCHEDULED);
            }
            tasks.add(task);
            tasks.notifyAll();
        }
    }

    private void work() {
        try {
            for (TimerTask task = next(); task != null; task = next()) {
                task.run();
            }
        } finally {
            // Also when a task has thrown something: whoever schedules another one hears of it.
            cancel();
        }
    }

    /** The next task, at its time; null when there will be none. */
    private TimerTask next() {
        synchronized (tasks) {
            while (true) {
                TimerTask first = first();
                try {
                    if (first == null && ended) {
                        return null;
                    } else if (first == null) {
                        tasks.wait();
                    } else {
                        long left = NEXT.<Long>of(first) - AppHooks.currentTimeMillis();
                        if (left > 0) {
                            AppHooks.await(tasks, left);
                        } else if (begins(first)) {
                            return first;
                        }
                    }
                } catch (InterruptedException e) {
                    // Nobody ends a timer in this way.
                    continue;
                }
            }
        }
    }

    private TimerTask first() {
        TimerTask first = null;
        for (TimerTask task : tasks) {
            if (first == null || NEXT.<Long>of(task) < NEXT.<Long>of(first)) {
                first = task;
            }
        }
        return first;
    }

    private boolean begins(TimerTask task) {
        synchronized (LOCK.<Object>of(task)) {
            long period = PERIOD.<Long>of(task);
            if (isCancelled(task)) {
                tasks.remove(task);
                return false;
            }
            if (period == 0) {
                tasks.remove(task);
                STATE.put(task, DONE);
            } else {
                NEXT.put(task, period < 0 ? AppHooks.currentTimeMillis() - period : NEXT.<Long>of(task) + period);
            }
            return true;
        }
    }

    private static boolean isCancelled(TimerTask task) {
        return STATE.<Integer>of(task) == CANCELLED;
    }
}
