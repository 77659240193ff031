package siamang.agent.core;

import java.util.ArrayList;
import java.util.List;

/**
 * Turns gestures into samples. A swipe has a sample about every 16 ms, as a real finger on a 60 Hz panel, and at least
 * eight: with fewer the platform's velocity tracker sees a jump and no fling.
 */
final class Gestures {
    static final int TAP_MS = 20;
    static final int DEFAULT_MOVE_MS = 200;
    private static final int SAMPLE_MS = 16;
    private static final int MIN_SAMPLES = 8;
    private static final int MAX_SAMPLES = 500;

    private Gestures() {
    }

    static List<Touch> tap(int x, int y) {
        return press(x, y, TAP_MS);
    }

    static List<Touch> press(int x, int y, long ms) {
        List<Touch> out = new ArrayList<Touch>(2);
        out.add(one(Touch.DOWN, x, y, 0));
        out.add(one(Touch.UP, x, y, ms));
        return out;
    }

    /** Moves along the points with constant speed. */
    static List<Touch> swipe(int[] xs, int[] ys, int askedMs) {
        int ms = askedMs == 0 ? DEFAULT_MOVE_MS : askedMs;
        int samples = samples(ms);
        double[] reach = new double[xs.length];
        for (int i = 1; i < xs.length; i++) {
            reach[i] = reach[i - 1] + Math.hypot((double) xs[i] - xs[i - 1], (double) ys[i] - ys[i - 1]);
        }
        List<Touch> out = new ArrayList<Touch>(samples + 2);
        out.add(one(Touch.DOWN, xs[0], ys[0], 0));
        int leg = 1;
        for (int s = 1; s <= samples; s++) {
            double along = reach[reach.length - 1] * s / samples;
            while (leg < xs.length - 1 && reach[leg] < along) {
                leg++;
            }
            double length = reach[leg] - reach[leg - 1];
            double part = length == 0 ? 1 : Math.min(1, (along - reach[leg - 1]) / length);
            out.add(one(Touch.MOVE, between(xs[leg - 1], xs[leg], part), between(ys[leg - 1], ys[leg], part), (long) ms * s / samples));
        }
        out.add(one(Touch.UP, xs[xs.length - 1], ys[ys.length - 1], ms));
        return out;
    }

    /** Two fingers on a horizontal line through the centre, each {@code from} pixels away, moving to {@code to}. */
    static List<Touch> pinch(int x, int y, int from, int to, int askedMs) {
        int ms = askedMs == 0 ? DEFAULT_MOVE_MS : askedMs;
        int samples = samples(ms);
        List<Touch> out = new ArrayList<Touch>(samples + 4);
        out.add(one(Touch.DOWN, x - from, y, 0));
        out.add(two(Touch.POINTER_DOWN, 1, x, y, from, 0));
        for (int s = 1; s <= samples; s++) {
            out.add(two(Touch.MOVE, 0, x, y, between(from, to, (double) s / samples), (long) ms * s / samples));
        }
        out.add(two(Touch.POINTER_UP, 1, x, y, to, ms));
        out.add(one(Touch.UP, x - to, y, ms));
        return out;
    }

    private static int samples(int ms) {
        return Math.max(MIN_SAMPLES, Math.min(MAX_SAMPLES, ms / SAMPLE_MS));
    }

    private static int between(int from, int to, double part) {
        return (int) Math.round(from + ((double) to - from) * part);
    }

    private static Touch one(int action, int x, int y, long at) {
        return new Touch(action, 0, new int[] {x}, new int[] {y}, at);
    }

    private static Touch two(int action, int index, int x, int y, int radius, long at) {
        return new Touch(action, index, new int[] {x - radius, x + radius}, new int[] {y, y}, at);
    }
}
