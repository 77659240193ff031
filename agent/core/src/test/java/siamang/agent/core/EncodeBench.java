package siamang.agent.core;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/** Prints size and CPU time of encoding a page of 200 nodes. A program and no test: a time depends on the machine. */
public final class EncodeBench {
    private static final int ROUNDS = 2000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private EncodeBench() {
    }

    public static void main(String[] args) throws AgentException {
        Screen screen = FakeBackend.screenOf(RandomTree.page(200));
        long first = now();
        Tree tree = TreeEncoder.encode(screen, Config.DEFAULT, 1, 0);
        first = now() - first;
        long[] times = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = now();
            tree = TreeEncoder.encode(screen, Config.DEFAULT, i, i);
            times[i] = now() - start;
        }
        long[] sorted = times.clone();
        Arrays.sort(sorted);
        System.out.println(tree.size() + " nodes, " + tree.bytes.length + " bytes; first " + first / 1000 + " us, rounds 1 to 20 at most "
                + max(times, 20) / 1000 + " us, median " + sorted[ROUNDS / 2] / 1000 + " us, p99 " + sorted[ROUNDS * 99 / 100] / 1000 + " us");
    }

    /** CPU time of this thread: a machine with other work does not count. */
    private static long now() {
        return THREADS.getCurrentThreadCpuTime();
    }

    private static long max(long[] times, int count) {
        long max = 0;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, times[i]);
        }
        return max;
    }
}
