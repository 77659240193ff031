package siamang.agent.core;

/** Counts what the app draws, as a backend's listener reports it, and waits by the settle rule. */
public final class UiPulse {
    private final Clock clock;
    private long armedAt;
    private long lastBeat = Long.MIN_VALUE;
    private int beats;

    public UiPulse(Clock clock) {
        this.clock = clock;
    }

    /** Before input: what is drawn from here on is a reaction. */
    public synchronized void arm() {
        armedAt = clock.now();
        lastBeat = Long.MIN_VALUE;
        beats = 0;
    }

    /** The app drew something. Called from a listener's thread. */
    public synchronized void beat() {
        lastBeat = clock.now();
        beats++;
        notifyAll();
    }

    public synchronized Settled settle(Pace pace) throws InterruptedException {
        long start = clock.now();
        SettleRule rule = new SettleRule(pace, start, lastBeat >= armedAt);
        int seen = beats;
        long now = start;
        for (long left = rule.remaining(now); left > 0; left = rule.remaining(now)) {
            clock.waitOn(this, left);
            if (beats != seen) {
                seen = beats;
                rule.drawn(lastBeat);
            }
            now = clock.now();
        }
        return new Settled(rule.reason(now), now - start, beats);
    }
}
