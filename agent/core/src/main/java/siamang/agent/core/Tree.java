package siamang.agent.core;

/** A tree as it was sent, and the nodes behind it, so that a later step can name one by its index. */
public final class Tree {
    public static final int NODES_CUT = 1;
    public static final int DEPTH_CUT = 2;
    public static final int STRINGS_CUT = 4;
    public static final int NO_ROOT = 8;
    public static final int PARTIAL = 16;
    public static final int CHILDREN_GONE = 32;

    public final long id;
    /** The oldest id under which this same tree was read without another in between: a host that was not sent it again knows it by that. */
    long firstId;
    public final long hash;
    public final byte[] bytes;
    final Node[] nodes;
    private final Window[] windows;
    private final int[] windowNodes;
    private final int[] children;
    private final int[] bounds;
    private final int[] flags;

    Tree(long id, long hash, byte[] bytes, Node[] nodes, Window[] windows, int[] windowNodes, int[] children, int[] bounds, int[] flags) {
        this.id = id;
        this.firstId = id;
        this.hash = hash;
        this.bytes = bytes;
        this.nodes = nodes;
        this.windows = windows;
        this.windowNodes = windowNodes;
        this.children = children;
        this.bounds = bounds;
        this.flags = flags;
    }

    public int size() {
        return nodes.length;
    }

    /** The deepest visible node of the topmost window at a point; later children lie above earlier ones. */
    Hit hit(int primitive, int x, int y) {
        int first = 0;
        for (int w = 0; w < windows.length; w++) {
            Window window = windows[w];
            if (contains(window.bounds, 0, x, y)) {
                int node = windowNodes[w] == 0 ? -1 : deepest(first, x, y);
                return new Hit(primitive, window.id, node + 1);
            }
            first += windowNodes[w];
        }
        return new Hit(primitive, -1, 0);
    }

    void recycle() {
        for (Node node : nodes) {
            node.recycle();
        }
    }

    private int deepest(int node, int x, int y) {
        if ((flags[node] & Node.VISIBLE) == 0 || !contains(bounds, node * 4, x, y)) {
            return -1;
        }
        int[] starts = new int[children[node]];
        int next = node + 1;
        for (int i = 0; i < starts.length; i++) {
            starts[i] = next;
            next = end(next);
        }
        for (int i = starts.length - 1; i >= 0; i--) {
            int found = deepest(starts[i], x, y);
            if (found >= 0) {
                return found;
            }
        }
        return node;
    }

    /** The index after the subtree of a node. */
    private int end(int node) {
        int next = node + 1;
        for (int i = 0; i < children[node]; i++) {
            next = end(next);
        }
        return next;
    }

    private static boolean contains(int[] ltrb, int at, int x, int y) {
        return x >= ltrb[at] && y >= ltrb[at + 1] && x < ltrb[at + 2] && y < ltrb[at + 3];
    }

    /** What a touch met: {@code node} is an index + 1, 0 for none. */
    public static final class Hit {
        public final int primitive;
        public final int window;
        public final int node;

        public Hit(int primitive, int window, int node) {
            this.primitive = primitive;
            this.window = window;
            this.node = node;
        }
    }
}
