package siamang.agent.jvm.robo.inside;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Whether a thread waits in a system call, as for a connection that nobody makes: to Java it runs. It has used no processor
 * and was in the same native method at every look, for much longer than a phone would wait: on a busy machine a thread may
 * get no processor for a while, but not for so long, and hardly ever there.
 */
final class NativeBlock {
    static final long STUCK_NS = 15_000_000_000L;
    /** Taking a stack costs more than looking at a clock. */
    static final long BETWEEN_STACKS_NS = 500_000_000L;

    private long used = -1;
    private long stillNs;
    private long stackAtNs;
    private StackTraceElement[] stack = {};

    /** What the thread has used of a processor, where it is, and how long ago the last look was; true if it is stuck. */
    boolean look(long cpuNs, Supplier<StackTraceElement[]> place, long sinceNs) {
        if (cpuNs != used) {
            used = cpuNs;
            restart();
            return false;
        }
        stillNs += sinceNs;
        if (stillNs < stackAtNs) {
            return false;
        }
        stackAtNs = stillNs + BETWEEN_STACKS_NS;
        StackTraceElement[] now = place.get();
        if (now.length == 0 || !now[0].isNativeMethod() || stack.length > 0 && !Arrays.equals(now, stack)) {
            restart();
            return false;
        }
        stack = now;
        return stillNs > STUCK_NS;
    }

    void restart() {
        stillNs = 0;
        stackAtNs = BETWEEN_STACKS_NS;
        stack = new StackTraceElement[0];
    }
}
