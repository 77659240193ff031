package siamang.agent.core;

/** The numbers of PROTOCOL.md, each under the name it has there. */
public final class Wire {
    public static final int MAGIC = 0x5349414D;
    public static final int MAJOR = 1;
    public static final int MINOR = 0;

    public static final int REQUEST = 1;
    public static final int OK = 2;
    public static final int ERROR = 3;
    public static final int EVENT = 4;

    public static final int HELLO = 1;
    public static final int AUTH = 2;
    public static final int RESUME = 3;
    public static final int PING = 4;
    public static final int CONFIG = 5;
    public static final int TREE = 6;
    public static final int STEP = 8;
    public static final int RESET = 9;
    public static final int APP = 10;
    public static final int TOP = 11;
    public static final int SHOT = 12;
    public static final int ROTATE = 13;
    public static final int SCREEN = 14;
    public static final int STAT = 16;
    public static final int BYE = 17;

    public static final int CRASH = 64;
    public static final int ANR = 65;
    public static final int EXIT = 66;
    public static final int ACTIVITY = 67;
    public static final int TOAST = 68;
    public static final int EXTERNAL_INTENT = 69;
    public static final int WINDOWS = 70;
    public static final int WARN = 71;

    /** What follows the length field before the payload: kind, op, flags, id. */
    public static final int HEADER_BYTES = 8;
    public static final int MAX_FRAME_TO_HOST = 16 * 1024 * 1024;
    public static final int MIN_FRAME_TO_HOST = 65_536;
    public static final int MAX_FRAME_TO_AGENT = 1024 * 1024;
    public static final int MAX_FRAME_BEFORE_AUTH = 1024;
    public static final int MAX_STRING_BYTES = 65_536;
    public static final int MAX_LIST = 32_768;
    public static final int MAX_WINDOWS = 256;
    public static final int MAX_PRIMITIVES = 64;
    public static final int MAX_POINTS = 64;
    public static final int MAX_ARGUMENTS = 8;
    public static final int MAX_SECTION_ITEMS = 64;
    public static final int MAX_CALLBACKS = 4096;
    public static final int MAX_EVENTS = 1024;
    public static final int MAX_WAITING_REQUESTS = 64;
    public static final int MAX_HANDSHAKES = 4;
    public static final int MAX_WRONG_TOKENS = 5;
    public static final int MAX_WORKERS_LOST = 3;

    public static final int TOKEN_BYTES = 16;
    public static final int NONCE_BYTES = 16;
    public static final int MAC_BYTES = 32;

    public static final long DEFAULT_DEADLINE_MS = 10_000;
    public static final long MAX_DEADLINE_MS = 120_000;
    public static final long MAX_DURATION_MS = 60_000;
    public static final long HANDSHAKE_MS = 5_000;
    public static final long SILENCE_MS = 30_000;
    public static final long RESUME_MS = 20_000;

    public static final int BACKEND_DEVICE = 1;
    public static final int BACKEND_JVM = 2;

    public static final int WANT_TREE = 1;
    public static final int WANT_TREE_IF_CHANGED = 2;
    public static final int WANT_SHOT = 4;

    public static final int RESET_WARM = 1;
    public static final int RESET_CLEAN = 2;
    public static final int RESET_SNAPSHOT = 3;

    public static final int ROTATION_FREE = 4;

    public static final int SOURCE_CONTROLLER = 1;
    public static final int SOURCE_LOGCAT = 2;
    public static final int SOURCE_JVM = 3;

    private Wire() {
    }
}
