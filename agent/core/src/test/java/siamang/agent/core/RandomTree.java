package siamang.agent.core;

import java.util.Random;

/** Trees for tests: any shape from a seed, and the one that the benchmarks use. */
final class RandomTree {
    private final Random random;
    private int left;

    private RandomTree(long seed, int nodes) {
        random = new Random(seed);
        left = nodes - 1;
    }

    static FakeNode of(long seed, int nodes) {
        return new RandomTree(seed, nodes).node(0);
    }

    private FakeNode node(int depth) {
        FakeNode node = new FakeNode();
        node.cls = "android.widget.C" + random.nextInt(6);
        node.pkg = random.nextInt(8) == 0 ? "com.other" : "com.example.notes";
        node.id = maybe();
        node.text = maybe();
        node.description = maybe();
        node.hint = maybe();
        node.state = maybe();
        node.pane = maybe();
        node.tooltip = maybe();
        node.unique = maybe();
        for (int e = 0; e < 4; e++) {
            node.bounds[e] = random.nextInt(20) == 0 ? random.nextInt() >> 1 : random.nextInt(4000) - 1000;
        }
        // A password's text is masked, which has a test of its own.
        node.flags = random.nextInt(1 << 18) & ~Node.PASSWORD;
        node.actions = random.nextInt(1 << 22);
        node.inputType = random.nextInt(3) == 0 ? random.nextInt(1 << 20) : 0;
        node.maxLength = random.nextInt(3) == 0 ? random.nextInt(1000) : -1;
        node.collection = random.nextInt(5) == 0 ? new int[] {random.nextInt(), random.nextInt()} : null;
        node.item = random.nextInt(5) == 0 ? new int[] {random.nextInt(), random.nextInt()} : null;
        node.more = random.nextInt(5) == 0 ? new Node.Action[] {new Node.Action(0x01020036, maybe()), new Node.Action(0x7f0b0001, "x")} : null;
        node.order = random.nextInt(3) == 0 ? random.nextInt() : 0;
        for (int c = random.nextInt(6); c > 0 && left > 0 && depth < 40; c--) {
            left--;
            node.with(node(depth + 1));
        }
        return node;
    }

    private String maybe() {
        int kind = random.nextInt(6);
        if (kind < 3) {
            return null;
        }
        if (kind == 3) {
            return "";
        }
        StringBuilder out = new StringBuilder();
        for (int i = random.nextInt(12); i >= 0; i--) {
            out.appendCodePoint(new int[] {'a' + random.nextInt(26), 0xE4, 0x4E2D, 0x1F648, 0, '\n'}[random.nextInt(6)]);
        }
        return out.toString();
    }

    /** A settings-like page of exactly {@code count} nodes: rows of an icon, two texts and a switch, all texts different. */
    static FakeNode page(int count) {
        FakeNode root = FakeNode.of("android.widget.FrameLayout", 0, 0, 1080, 1920);
        FakeNode list = FakeNode.of("androidx.recyclerview.widget.RecyclerView", 0, 210, 1080, 1794);
        list.id = "com.example.notes:id/recycler";
        list.flags |= Node.SCROLLABLE | Node.FOCUSABLE;
        list.actions = 4096 | 8192 | 64;
        root.with(list);
        int made = 2;
        for (int row = 0; made < count; row++) {
            int y = 210 + row * 160;
            FakeNode line = FakeNode.of("android.widget.LinearLayout", 0, y, 1080, y + 160);
            line.flags |= Node.CLICKABLE | Node.FOCUSABLE;
            line.actions = 16 | 64 | 4 | 8 | 1;
            line.item = new int[] {row, 0};
            list.with(line);
            made++;
            String[][] parts = {
                {"android.widget.ImageView", "com.example.notes:id/icon", null},
                {"android.widget.TextView", "com.example.notes:id/title", "Note number " + row + " of the long list"},
                {"android.widget.TextView", "com.example.notes:id/summary", "Last changed on day " + row * 37 % 365 + ", " + row * 7919 % 1000 + " words"},
                {"android.widget.Switch", "com.example.notes:id/toggle", row % 2 == 0 ? "ON" : "OFF"},
            };
            for (int p = 0; p < parts.length && made < count; p++, made++) {
                FakeNode part = FakeNode.of(parts[p][0], 40 + p * 200, y + 20, 240 + p * 200, y + 140);
                part.id = parts[p][1];
                part.text = parts[p][2];
                part.order = p + 1;
                part.actions = 64 | 4;
                line.with(part);
            }
        }
        return root;
    }
}
