package siamang.agent.core;

/** The capability bits of HELLO. */
public final class Cap {
    public static final int ALL_WINDOWS = 0;
    public static final int INPUT = 1;
    public static final int CONTROLLER = 2;
    public static final int LOGCAT = 3;
    public static final int ROTATION = 4;
    public static final int START_STOP = 5;
    public static final int CLEAR = 6;
    public static final int GRANT = 7;
    public static final int SCREENSHOT = 8;
    public static final int TOASTS = 9;
    public static final int PASTE = 10;
    public static final int NODE_ACTIONS = 11;
    public static final int COVERAGE = 12;
    public static final int CALLBACKS = 13;
    public static final int INTENTS = 14;
    public static final int SNAPSHOTS = 15;
    public static final int SCREEN = 16;
    public static final int HIT = 17;
    public static final int VIRTUAL_TIME = 18;

    private Cap() {
    }

    public static long bit(int cap) {
        return 1L << cap;
    }
}
