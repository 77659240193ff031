package siamang.agent.device;

import android.os.SystemClock;
import siamang.agent.core.Clock;

/** The phone's uptime, by which the system stamps input and accessibility events. */
final class DeviceClock implements Clock {
    @Override
    public long now() {
        return SystemClock.uptimeMillis();
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
