package siamang.agent.core;

/** One sample of a gesture: all fingers that are down, and what one of them does. */
public final class Touch {
    public static final int DOWN = 0;
    public static final int UP = 1;
    public static final int MOVE = 2;
    public static final int CANCEL = 3;
    public static final int POINTER_DOWN = 5;
    public static final int POINTER_UP = 6;

    /** Numbered as Android's MotionEvent numbers them. */
    public final int action;
    /** The finger that goes down or up; 0 otherwise. */
    public final int index;
    public final int[] xs;
    public final int[] ys;
    /** Milliseconds after the gesture's first sample. */
    public final long at;

    Touch(int action, int index, int[] xs, int[] ys, long at) {
        this.action = action;
        this.index = index;
        this.xs = xs;
        this.ys = ys;
        this.at = at;
    }

    Touch cancelled() {
        return new Touch(CANCEL, 0, xs, ys, at);
    }
}
