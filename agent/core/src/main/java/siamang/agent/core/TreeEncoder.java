package siamang.agent.core;

import java.util.List;

/** Writes a screen as PROTOCOL.md section 5: a string table, windows, and nodes in preorder with bounds relative to the parent. */
public final class TreeEncoder {
    static final int HAS_PACKAGE = 1;
    static final int HAS_ID = 1 << 1;
    static final int HAS_TEXT = 1 << 2;
    static final int HAS_DESCRIPTION = 1 << 3;
    static final int HAS_HINT = 1 << 4;
    static final int HAS_STATE = 1 << 5;
    static final int HAS_PANE = 1 << 6;
    static final int HAS_TOOLTIP = 1 << 7;
    static final int HAS_UNIQUE = 1 << 8;
    static final int HAS_INPUT_TYPE = 1 << 9;
    static final int HAS_MAX_LENGTH = 1 << 10;
    static final int HAS_COLLECTION = 1 << 11;
    static final int HAS_ITEM = 1 << 12;
    static final int HAS_ACTIONS = 1 << 13;
    static final int HAS_ORDER = 1 << 14;

    private static final int MAX_MASK = 1024;

    private final StringTable strings = new StringTable();
    private final ByteWriter nodesOut = new ByteWriter(8192);
    /** References of the optional strings of the node at hand, in the order of their bits from HAS_PACKAGE on. */
    private final int[] refs = new int[9];
    private final int[] ltrb = new int[4];
    private TreeWalker walker;
    private Node[] nodes;
    private int[] bounds;
    private int[] nodeFlags;
    private int[] children;
    private int next;

    private TreeEncoder() {
    }

    /** Reads and encodes. The tree owns the screen's nodes from here on. */
    public static Tree encode(Screen screen, Config config, long id, long uptimeMs) throws AgentException {
        return new TreeEncoder().run(screen, config, id, uptimeMs);
    }

    private Tree run(Screen screen, Config config, long id, long uptimeMs) throws AgentException {
        List<Window> all = screen.windows.size() > Wire.MAX_WINDOWS ? screen.windows.subList(0, Wire.MAX_WINDOWS) : screen.windows;
        Window[] windows = all.toArray(new Window[0]);
        int[] windowNodes = new int[windows.length];
        walker = new TreeWalker(config);
        int flags = screen.partial ? Tree.PARTIAL : 0;
        for (int w = 0; w < windows.length; w++) {
            if (windows[w].root == null) {
                flags |= Tree.NO_ROOT;
            } else {
                windowNodes[w] = walker.add(windows[w].root);
            }
        }
        nodes = walker.nodes();
        bounds = new int[nodes.length * 4];
        nodeFlags = new int[nodes.length];
        children = new int[nodes.length];
        int topPackage = strings.ref(screen.top.pkg);
        int topActivity = strings.ref(screen.top.activity);
        ByteWriter windowsOut = new ByteWriter(256);
        for (int w = 0; w < windows.length; w++) {
            writeWindow(windowsOut, windows[w], windowNodes[w]);
            if (windowNodes[w] > 0) {
                writeNode(windows[w].bounds, 0, 0);
            }
        }
        flags |= walker.flags | (strings.cut() ? Tree.STRINGS_CUT : 0);

        ByteWriter out = new ByteWriter(1024 + nodesOut.size() * 2);
        out.uv(id).uv(uptimeMs);
        int hashed = out.size();
        out.uv(flags).u8(screen.rotation).uv(screen.width).uv(screen.height);
        strings.writeTo(out);
        out.uv(topPackage).uv(topActivity);
        out.uv(windows.length).append(windowsOut);
        out.uv(nodes.length).append(nodesOut);
        return new Tree(id, out.hashFrom(hashed), out.toBytes(), nodes, windows, windowNodes, children, bounds, nodeFlags);
    }

    private void writeWindow(ByteWriter out, Window window, int count) {
        out.sv(window.id).u8(window.type).sv(window.layer).uv(window.flags).uv(Math.max(0, window.display));
        for (int edge : window.bounds) {
            out.sv(edge);
        }
        out.uv(strings.ref(window.title)).uv(count);
    }

    private void writeNode(int[] parentBounds, int parentAt, int parentPackage) {
        int i = next++;
        Node node = nodes[i];
        node.bounds(ltrb);
        System.arraycopy(ltrb, 0, bounds, i * 4, 4);
        int flags = node.flags() & ~Node.CHILDREN_CUT | (walker.childrenCut(i) ? Node.CHILDREN_CUT : 0);
        nodeFlags[i] = flags;
        children[i] = walker.children(i);

        boolean root = parentBounds != bounds;
        int pkg = strings.ref(node.packageName());
        int has = root || pkg != parentPackage ? HAS_PACKAGE : 0;
        refs[0] = pkg;
        refs[1] = strings.ref(node.resourceId());
        refs[2] = strings.ref(masked(node.text(), flags));
        refs[3] = strings.ref(node.description());
        refs[4] = strings.ref(node.hint());
        refs[5] = strings.ref(node.stateDescription());
        refs[6] = strings.ref(node.paneTitle());
        refs[7] = strings.ref(node.tooltip());
        refs[8] = strings.ref(node.uniqueId());
        for (int bit = 1; bit < refs.length; bit++) {
            has |= refs[bit] == 0 ? 0 : 1 << bit;
        }
        int inputType = node.inputType();
        int maxLength = node.maxTextLength();
        int[] collection = node.collection();
        int[] item = node.collectionItem();
        Node.Action[] more = node.moreActions();
        int order = node.drawingOrder();
        has |= inputType == 0 ? 0 : HAS_INPUT_TYPE;
        has |= maxLength < 0 ? 0 : HAS_MAX_LENGTH;
        has |= collection == null ? 0 : HAS_COLLECTION;
        has |= item == null ? 0 : HAS_ITEM;
        has |= more == null || more.length == 0 ? 0 : HAS_ACTIONS;
        has |= order == 0 ? 0 : HAS_ORDER;

        ByteWriter out = nodesOut;
        out.uv(children[i]).uv(has).uv(strings.ref(node.className()));
        for (int edge = 0; edge < 4; edge++) {
            out.sv(ltrb[edge] - parentBounds[parentAt + edge]);
        }
        out.uv(flags & 0xFFFFFFFFL).uv(node.actions() & Node.FIRST_RESOURCE_ACTION - 1);
        for (int bit = 0; bit < refs.length; bit++) {
            if ((has & 1 << bit) != 0) {
                out.uv(refs[bit]);
            }
        }
        writeRare(out, has, inputType, maxLength, collection, item, more, order);
        for (int c = children[i]; c > 0; c--) {
            writeNode(bounds, i * 4, pkg);
        }
    }

    private void writeRare(ByteWriter out, int has, int inputType, int maxLength, int[] collection, int[] item, Node.Action[] more, int order) {
        if ((has & HAS_INPUT_TYPE) != 0) {
            out.uv(inputType & 0xFFFFFFFFL);
        }
        if ((has & HAS_MAX_LENGTH) != 0) {
            out.uv(maxLength);
        }
        if (collection != null) {
            out.sv(collection[0]).sv(collection[1]);
        }
        if (item != null) {
            out.sv(item[0]).sv(item[1]);
        }
        if ((has & HAS_ACTIONS) != 0) {
            int count = Math.min(more.length, Wire.MAX_SECTION_ITEMS);
            out.uv(count);
            for (int a = 0; a < count; a++) {
                out.uv(more[a].id & 0xFFFFFFFFL).uv(strings.ref(more[a].label));
            }
        }
        if ((has & HAS_ORDER) != 0) {
            out.sv(order);
        }
    }

    /** A password never leaves the device, only its length. */
    private static CharSequence masked(CharSequence text, int flags) {
        if (text == null || (flags & Node.PASSWORD) == 0) {
            return text;
        }
        StringBuilder dots = new StringBuilder();
        for (int i = Math.min(text.length(), MAX_MASK); i > 0; i--) {
            dots.append('\u2022');
        }
        return dots;
    }
}
