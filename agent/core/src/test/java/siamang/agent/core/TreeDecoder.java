package siamang.agent.core;

import java.util.ArrayList;
import java.util.List;

/** Reads a tree as a host does, into lines that a test can compare. */
final class TreeDecoder {
    final long id;
    final int flags;
    final List<String> strings = new ArrayList<String>();
    final List<String> windows = new ArrayList<String>();
    final List<String> nodes = new ArrayList<String>();
    private final ByteReader in;

    TreeDecoder(byte[] bytes) throws ProtocolException {
        in = new ByteReader(bytes);
        id = in.uv();
        in.uv();
        flags = (int) in.uv();
        in.u8();
        in.uv();
        in.uv();
        int count = in.count(Wire.MAX_LIST, 1, "strings");
        for (int i = 0; i < count; i++) {
            strings.add(in.str());
        }
        ref();
        ref();
        int windowCount = in.count(Wire.MAX_WINDOWS, 11, "windows");
        int[][] bounds = new int[windowCount][4];
        int[] sizes = new int[windowCount];
        for (int w = 0; w < windowCount; w++) {
            int windowId = in.sv();
            in.u8();
            in.sv();
            in.uv();
            in.uv();
            for (int e = 0; e < 4; e++) {
                bounds[w][e] = in.sv();
            }
            String title = ref();
            sizes[w] = in.uv(Wire.MAX_LIST, "nodes");
            windows.add(windowId + " " + title + " " + sizes[w]);
        }
        int total = in.count(Wire.MAX_LIST, 9, "nodes");
        for (int w = 0; w < windowCount; w++) {
            int before = nodes.size();
            if (sizes[w] > 0) {
                node(bounds[w], null, 0);
            }
            check(nodes.size() - before == sizes[w], "window " + w + " has another number of nodes");
        }
        check(total == nodes.size(), "another number of nodes");
        check(in.remaining() == 0, "bytes are left");
    }

    private void node(int[] parentBounds, String parentPackage, int depth) throws ProtocolException {
        int children = in.uv(Wire.MAX_LIST, "children");
        int has = in.uv(0x7FFF, "has");
        String cls = ref();
        int[] bounds = new int[4];
        for (int e = 0; e < 4; e++) {
            bounds[e] = parentBounds[e] + in.sv();
        }
        long nodeFlags = in.uv();
        long actions = in.uv();
        String pkg = (has & 1) != 0 ? ref() : parentPackage;
        StringBuilder line = new StringBuilder();
        line.append(depth).append(' ').append(cls).append(' ').append(pkg).append(' ');
        for (int e = 0; e < 4; e++) {
            line.append(bounds[e]).append(e < 3 ? "," : " ");
        }
        line.append(nodeFlags).append(' ').append(actions);
        for (int bit = 1; bit <= 8; bit++) {
            line.append(" |").append((has & 1 << bit) != 0 ? ref() : null);
        }
        line.append(" it").append((has & 1 << 9) != 0 ? in.uv() : 0);
        line.append(" ml").append((has & 1 << 10) != 0 ? in.uv() : -1);
        line.append(" c").append((has & 1 << 11) != 0 ? in.sv() + "x" + in.sv() : null);
        line.append(" i").append((has & 1 << 12) != 0 ? in.sv() + "x" + in.sv() : null);
        if ((has & 1 << 13) != 0) {
            int more = in.count(Wire.MAX_SECTION_ITEMS, 2, "actions");
            for (int i = 0; i < more; i++) {
                line.append(" a").append(in.uv()).append('=').append(ref());
            }
        }
        line.append(" o").append((has & 1 << 14) != 0 ? in.sv() : 0);
        nodes.add(line.toString());
        for (int c = 0; c < children; c++) {
            node(bounds, pkg, depth + 1);
        }
    }

    /** The line that {@link #nodes} must have for a node. */
    static String line(FakeNode node, int depth, int extraFlags) {
        StringBuilder line = new StringBuilder();
        line.append(depth).append(' ').append(node.cls).append(' ').append(node.pkg).append(' ');
        for (int e = 0; e < 4; e++) {
            line.append(node.bounds[e]).append(e < 3 ? "," : " ");
        }
        line.append(node.flags | extraFlags).append(' ').append(node.actions);
        for (String text : new String[] {node.id, node.text, node.description, node.hint, node.state, node.pane, node.tooltip, node.unique}) {
            line.append(" |").append(text);
        }
        line.append(" it").append(node.inputType).append(" ml").append(node.maxLength);
        line.append(" c").append(node.collection == null ? null : node.collection[0] + "x" + node.collection[1]);
        line.append(" i").append(node.item == null ? null : node.item[0] + "x" + node.item[1]);
        for (Node.Action action : node.more == null ? new Node.Action[0] : node.more) {
            line.append(" a").append(action.id).append('=').append(action.label);
        }
        return line.append(" o").append(node.order).toString();
    }

    private String ref() throws ProtocolException {
        int ref = in.uv(Wire.MAX_LIST, "a reference");
        check(ref <= strings.size(), "a reference beyond the table");
        return ref == 0 ? null : strings.get(ref - 1);
    }

    private static void check(boolean holds, String what) throws ProtocolException {
        if (!holds) {
            throw ProtocolException.malformed(what);
        }
    }
}
