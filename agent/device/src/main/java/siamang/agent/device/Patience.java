package siamang.agent.device;

import siamang.agent.core.HungException;

/**
 * Tells an app that has nothing to show from one that hangs. The system asks the app's main thread, gives it 5 s and then
 * answers for it as if there were nothing.
 */
final class Patience {
    private static final long HUNG_MS = 4_000;

    private final long asked = System.nanoTime();

    /** Called when the answer was nothing. */
    void nothing(String what) {
        long ms = (System.nanoTime() - asked) / 1_000_000;
        if (ms >= HUNG_MS) {
            throw new HungException(what, ms);
        }
    }
}
