package siamang.agent.core;

/** A failure that the host is told about: one of the codes of PROTOCOL.md section 2. */
public class AgentException extends Exception {
    public static final int TIMEOUT = 1;
    public static final int STALE = 2;
    public static final int NO_ROOT = 3;
    public static final int NOT_CONNECTED = 4;
    public static final int INJECT_DENIED = 5;
    public static final int APP_NOT_FOUND = 6;
    public static final int BUSY = 7;
    public static final int AUTH = 8;
    public static final int UNSUPPORTED = 9;
    public static final int INTERNAL = 10;
    public static final int DEVICE_DEAD = 11;
    public static final int VERSION = 12;
    public static final int MALFORMED = 13;
    public static final int LIMIT = 14;
    public static final int REFUSED = 15;
    public static final int NO_SESSION = 16;
    public static final int HUNG = 17;

    private final int code;
    private final String detail;

    public AgentException(int code, String message) {
        this(code, message, "");
    }

    public AgentException(int code, String message, String detail) {
        super(message);
        this.code = code;
        this.detail = detail;
    }

    public int code() {
        return code;
    }

    public String detail() {
        return detail;
    }

    /** The same request may succeed if it is sent again unchanged. */
    public boolean retriable() {
        return code == TIMEOUT || code == NO_ROOT || code == BUSY || code == HUNG;
    }

    AgentException withDetail(String more) {
        AgentException next = new AgentException(code, getMessage(), detail.isEmpty() ? more : detail + "; " + more);
        next.setStackTrace(getStackTrace());
        return next;
    }
}
