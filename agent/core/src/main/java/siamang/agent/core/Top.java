package siamang.agent.core;

/** The activity in front, and who said so. */
public final class Top {
    public static final int FROM_CONTROLLER = 1;
    public static final int FROM_TASKS = 2;
    public static final int FROM_WINDOW = 3;

    public final String pkg;
    public final String activity;
    public final int source;

    public Top(String pkg, String activity, int source) {
        this.pkg = pkg;
        this.activity = activity;
        this.source = source;
    }
}
