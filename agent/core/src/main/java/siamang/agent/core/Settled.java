package siamang.agent.core;

/** How a settle ended. */
public final class Settled {
    public static final int NOT_ASKED = 0;
    public static final int QUIET = 1;
    public static final int NO_REACTION = 2;
    public static final int CAP = 3;

    public static final Settled NONE = new Settled(NOT_ASKED, 0, 0);

    public final int reason;
    public final long ms;
    public final int uiEvents;

    public Settled(int reason, long ms, int uiEvents) {
        this.reason = reason;
        this.ms = ms;
        this.uiEvents = uiEvents;
    }
}
