package siamang.agent.core;

/**
 * When a step is over, as a pure function of when the app drew something: quiet for a while after its last reaction, or
 * no reaction at all for a while, or the cap. Times are the caller's; nothing here waits.
 */
public final class SettleRule {
    private final Pace pace;
    private final long inputEnd;
    private long lastEvent;
    private boolean reacted;

    /** {@code reactedDuringInput}: something was drawn between the first and the last sample of the input. */
    public SettleRule(Pace pace, long inputEnd, boolean reactedDuringInput) {
        this.pace = pace;
        this.inputEnd = inputEnd;
        this.lastEvent = inputEnd;
        this.reacted = reactedDuringInput;
    }

    public void drawn(long now) {
        reacted = true;
        lastEvent = Math.max(lastEvent, now);
    }

    /** How long nothing needs to be asked again; 0 if it is settled. */
    public long remaining(long now) {
        long due = reacted ? lastEvent + pace.quietMs : inputEnd + pace.reactionMs;
        return Math.max(0, Math.min(due, inputEnd + pace.capMs) - now);
    }

    /** Why it is settled, once {@link #remaining} is 0. */
    public int reason(long now) {
        if (!reacted && now >= inputEnd + pace.reactionMs) {
            return Settled.NO_REACTION;
        }
        return reacted && now >= lastEvent + pace.quietMs ? Settled.QUIET : Settled.CAP;
    }
}
