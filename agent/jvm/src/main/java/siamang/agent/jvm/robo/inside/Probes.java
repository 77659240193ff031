package siamang.agent.jvm.robo.inside;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * Which of the app's branches were taken, over all lives of its process. A branch is the number of its class in the
 * sorted list of the app's classes, times 65,536, plus its probe.
 */
final class Probes {
    private static final int SHIFT = 16;

    /** What the classes of this life write to, and what was already told. */
    private static final Map<Integer, boolean[]> LIVE = new TreeMap<>();
    private static final Map<Integer, boolean[]> TOLD = new TreeMap<>();
    private static final long[] NONE = {};
    private static long total;
    /** What a life that is over has covered and nobody was told of yet. */
    private static long[] last = NONE;

    private Probes() {
    }

    static synchronized boolean[] of(int number, int count) {
        return LIVE.computeIfAbsent(number, key -> new boolean[count]);
    }

    static synchronized long total() {
        return total;
    }

    /**
     * What the threads of the life that is over still do on their way out is nobody's: how far they get depends on when they
     * are stopped. Classes of the next life get arrays of their own.
     */
    static synchronized void lifeEnds() {
        last = takeFresh();
        LIVE.clear();
    }

    /** The branches covered since the last call, ascending; whether they were covered before that does not matter. */
    static synchronized long[] takeFresh() {
        long[] fresh = fromLive();
        if (last.length > 0) {
            fresh = LongStream.concat(LongStream.of(last), LongStream.of(fresh)).sorted().distinct().toArray();
            last = NONE;
        }
        return fresh;
    }

    private static long[] fromLive() {
        long[] fresh = new long[64];
        int count = 0;
        for (Map.Entry<Integer, boolean[]> entry : LIVE.entrySet()) {
            boolean[] live = entry.getValue();
            boolean[] told = null;
            for (int probe = 0; probe < live.length; probe++) {
                if (!live[probe]) {
                    continue;
                }
                live[probe] = false;
                told = told != null ? told : TOLD.computeIfAbsent(entry.getKey(), key -> new boolean[live.length]);
                total += told[probe] ? 0 : 1;
                told[probe] = true;
                fresh = count == fresh.length ? Arrays.copyOf(fresh, count * 2) : fresh;
                fresh[count++] = (long) entry.getKey() << SHIFT | probe;
            }
        }
        return Arrays.copyOf(fresh, count);
    }
}
