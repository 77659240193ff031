package siamang.agent.core;

/** CONFIG, with its defaults filled in. */
public final class Config {
    public static final int NOT_IMPORTANT = 1;
    public static final int SYSTEM_WINDOWS = 2;
    public static final int ALLOW_CLEAR = 4;
    public static final int ANIMATIONS_OFF = 8;
    public static final int STAY_AWAKE = 16;
    public static final int SAY_MONKEY = 32;
    public static final int CONFIRM = 64;
    public static final int DROP_ACTIVITIES = 128;

    static final int DEFAULT_NODES = 3000;
    static final int DEFAULT_DEPTH = 64;
    /** The walker recurses; app_process gives threads about a megabyte of stack. */
    static final int MAX_DEPTH = 512;
    static final int DEFAULT_QUIET_MS = 60;
    static final int DEFAULT_REACTION_MS = 100;
    static final int DEFAULT_CAP_MS = 1000;

    public static final Config DEFAULT =
            new Config(DEFAULT_NODES, DEFAULT_DEPTH, 0, "", new Pace(true, DEFAULT_QUIET_MS, DEFAULT_REACTION_MS, DEFAULT_CAP_MS));

    public final int maxNodes;
    public final int maxDepth;
    public final int flags;
    public final String pkg;
    public final Pace pace;

    Config(int maxNodes, int maxDepth, int flags, String pkg, Pace pace) {
        this.maxNodes = maxNodes;
        this.maxDepth = maxDepth;
        this.flags = flags;
        this.pkg = pkg;
        this.pace = pace;
    }

    static Config read(ByteReader in) throws AgentException {
        int nodes = in.uv(Wire.MAX_LIST, "max_nodes");
        int depth = in.uv(MAX_DEPTH, "max_depth");
        int flags = in.uv(Integer.MAX_VALUE, "flags");
        String pkg = in.str();
        if (!pkg.isEmpty()) {
            Names.checkPackage(pkg);
        }
        Pace pace = Pace.readTimes(in, true).orElse(DEFAULT.pace);
        return new Config(nodes == 0 ? DEFAULT_NODES : nodes, depth == 0 ? DEFAULT_DEPTH : depth, flags, pkg, pace);
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }
}
