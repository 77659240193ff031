package siamang.agent.jvm.robo.inside;

/**
 * How long one step waits for threads that do not stop working: by their own time and not by that of a busy machine, and by
 * the clock, should they get no processor at all. A step has many waits, one for each frame of an animation.
 */
final class Patience {
    static final long OWN_NS = 250_000_000;
    static final long CLOCK_NS = 3_000_000_000L;
    /** What a wait has when the step's patience has ended: a thread beside the busy one may need no more. */
    static final long MOMENT_NS = 4_000_000;

    private long ownLeft = OWN_NS;
    private long clockLeft = CLOCK_NS;
    private long ownSince;
    private long clockSince;

    /** A new step. */
    void refill() {
        ownLeft = OWN_NS;
        clockLeft = CLOCK_NS;
    }

    /** A wait: what the threads have used up to now, and what the clock says. */
    void begin(long used, long now) {
        ownSince = used;
        clockSince = now;
    }

    boolean isOver(long used, long now) {
        return used - ownSince > Math.max(ownLeft, MOMENT_NS) || now - clockSince > Math.max(clockLeft, MOMENT_NS);
    }

    /** The wait has ended, by itself or not. */
    void end(long used, long now) {
        ownLeft -= used - ownSince;
        clockLeft -= now - clockSince;
    }
}
