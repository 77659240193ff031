package siamang.agent.jvm;

import siamang.agent.core.Clock;

/** Wall time, for deadlines: the app's own clock stands still while the app hangs. */
final class RealClock implements Clock {
    @Override
    public long now() {
        return System.nanoTime() / 1_000_000;
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void pause(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    @Override
    public void waitOn(Object monitor, long ms) throws InterruptedException {
        monitor.wait(ms);
    }
}
