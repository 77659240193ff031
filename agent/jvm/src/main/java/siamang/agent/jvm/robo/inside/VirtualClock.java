package siamang.agent.jvm.robo.inside;

import siamang.agent.core.AgentException;
import siamang.agent.core.Clock;

/** The device's own time: it moves only when somebody waits for it, and then at once. */
final class VirtualClock implements Clock {
    private final JvmBackend device;

    VirtualClock(JvmBackend device) {
        this.device = device;
    }

    @Override
    public long now() {
        return device.now();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void pause(long ms) throws InterruptedException {
        try {
            device.main.act(() -> device.loop.run(ms));
        } catch (AgentException e) {
            throw new InterruptedException(e.getMessage());
        }
    }

    @Override
    public void waitOn(Object monitor, long ms) throws InterruptedException {
        pause(ms);
    }
}
