package siamang.agent.core;

/** How long to wait for the app after input, in milliseconds of device time. */
public final class Pace {
    public final boolean settle;
    /** Silence after the last reaction that counts as settled. */
    public final int quietMs;
    /** How long a first reaction is awaited. */
    public final int reactionMs;
    /** The end of patience with an app that never falls silent. */
    public final int capMs;

    public Pace(boolean settle, int quietMs, int reactionMs, int capMs) {
        this.settle = settle;
        this.quietMs = quietMs;
        this.reactionMs = reactionMs;
        this.capMs = capMs;
    }

    static Pace read(ByteReader in) throws ProtocolException {
        int mode = in.u8();
        if (mode > 1) {
            throw ProtocolException.malformed("unknown pace " + mode);
        }
        return readTimes(in, mode == 1);
    }

    static Pace readTimes(ByteReader in, boolean settle) throws ProtocolException {
        int max = (int) Wire.MAX_DURATION_MS;
        int quiet = in.uv(max, "quiet_ms");
        int reaction = in.uv(max, "reaction_ms");
        int cap = in.uv(max, "cap_ms");
        return new Pace(settle, quiet, reaction, cap);
    }

    /** Takes the fallback's time for each that is 0. */
    Pace orElse(Pace fallback) {
        return new Pace(settle,
                quietMs == 0 ? fallback.quietMs : quietMs,
                reactionMs == 0 ? fallback.reactionMs : reactionMs,
                capMs == 0 ? fallback.capMs : capMs);
    }
}
