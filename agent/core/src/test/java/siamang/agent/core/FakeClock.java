package siamang.agent.core;

/** Time that passes only when somebody waits, or when the test says so. */
final class FakeClock implements Clock {
    private final boolean frozen;
    private long now;
    private Runnable onWait;

    private FakeClock(long now, boolean frozen) {
        this.now = now;
        this.frozen = frozen;
    }

    static FakeClock at(long now) {
        return new FakeClock(now, false);
    }

    /** Waiting takes no time at all. */
    static FakeClock frozenAt(long now) {
        return new FakeClock(now, true);
    }

    /** Runs once, in the middle of the next wait. */
    synchronized void onWait(Runnable what) {
        onWait = what;
    }

    synchronized void advance(long ms) {
        now += ms;
    }

    synchronized void advanceTo(long time) {
        now = Math.max(now, time);
    }

    @Override
    public synchronized long now() {
        return now;
    }

    @Override
    public long nanos() {
        return 0;
    }

    @Override
    public synchronized void pause(long ms) {
        if (!frozen) {
            now += ms;
        }
    }

    @Override
    public void waitOn(Object monitor, long ms) throws InterruptedException {
        Runnable what;
        long end;
        synchronized (this) {
            what = onWait;
            onWait = null;
            end = now + ms;
        }
        if (what != null) {
            what.run();
        } else {
            advanceTo(end);
        }
    }
}
