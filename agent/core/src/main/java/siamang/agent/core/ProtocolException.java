package siamang.agent.core;

/** Bytes that are not what PROTOCOL.md says. The only thing a decoder throws, whatever the bytes are. */
public final class ProtocolException extends AgentException {
    /** Whether the stream can still be read: false if the frame itself was wrong. */
    private final boolean fatal;

    private ProtocolException(int code, String message, boolean fatal) {
        super(code, message);
        this.fatal = fatal;
    }

    static ProtocolException malformed(String message) {
        return new ProtocolException(MALFORMED, message, false);
    }

    static ProtocolException limit(String message) {
        return new ProtocolException(LIMIT, message, false);
    }

    static ProtocolException fatal(int code, String message) {
        return new ProtocolException(code, message, true);
    }

    public boolean isFatal() {
        return fatal;
    }
}
