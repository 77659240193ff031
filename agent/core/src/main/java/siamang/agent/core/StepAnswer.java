package siamang.agent.core;

import java.util.ArrayList;
import java.util.List;

/** The answer to STEP and RESET. A section that was never touched is absent; one that was touched may be empty. */
public final class StepAnswer {
    private static final int TREE = 0;
    private static final int SHOT = 1;
    private static final int COVERAGE = 2;
    private static final int CALLBACKS = 3;
    private static final int HITS = 4;
    private static final int INTENTS = 5;
    private static final int TEXTS = 6;
    private static final int SECTIONS = 7;

    private final long step;
    private int performed;
    private Settled settled = Settled.NONE;
    private long hash;
    private final ByteWriter[] sections = new ByteWriter[SECTIONS];
    private final List<int[]> texts = new ArrayList<int[]>();

    public StepAnswer(long step) {
        this.step = step;
    }

    void performed(int count) {
        performed = count;
    }

    void settled(Settled how) {
        settled = how;
    }

    void tree(Tree tree, boolean send) {
        hash = tree.hash;
        sections[TREE] = send ? new ByteWriter(tree.bytes.length).raw(tree.bytes) : null;
    }

    void shot(Shot shot) {
        sections[SHOT] = shot.writeTo(new ByteWriter(shot.image.length + 16));
    }

    void hits(long tree, List<Tree.Hit> hits) {
        ByteWriter out = new ByteWriter().uv(tree).uv(hits.size());
        for (Tree.Hit hit : hits) {
            out.uv(hit.primitive).sv(hit.window).uv(hit.node);
        }
        sections[HITS] = out;
    }

    void text(TextEntry.Result result, int primitive) {
        texts.add(new int[] {primitive, result.method, result.verified});
    }

    /** {@code source} is 1 for rules, 2 for probes; {@code fresh} must ascend. */
    public void coverage(int source, long total, long[] fresh) {
        ByteWriter out = new ByteWriter(16 + fresh.length * 2).u8(source).uv(total);
        int count = Math.min(fresh.length, Wire.MAX_LIST);
        out.uv(count);
        long before = 0;
        for (int i = 0; i < count; i++) {
            out.uv(fresh[i] - before);
            before = fresh[i];
        }
        sections[COVERAGE] = out;
    }

    public void callbacks(List<String> entered) {
        int count = Math.min(entered.size(), Wire.MAX_CALLBACKS);
        ByteWriter out = new ByteWriter().uv(count);
        for (int i = 0; i < count; i++) {
            out.str(entered.get(i));
        }
        sections[CALLBACKS] = out;
    }

    public void intents(List<StandIn> answered) {
        int count = Math.min(answered.size(), Wire.MAX_SECTION_ITEMS);
        ByteWriter out = new ByteWriter().uv(count);
        for (int i = 0; i < count; i++) {
            StandIn one = answered.get(i);
            out.str(one.action).str(one.data).str(one.component).str(one.answer);
        }
        sections[INTENTS] = out;
    }

    ByteWriter encode() {
        if (!texts.isEmpty()) {
            ByteWriter out = new ByteWriter().uv(texts.size());
            for (int[] text : texts) {
                out.uv(text[0]).u8(text[1]).u8(text[2]);
            }
            sections[TEXTS] = out;
        }
        int bitmap = 0;
        int size = 64;
        for (int i = 0; i < SECTIONS; i++) {
            if (sections[i] != null) {
                bitmap |= 1 << i;
                size += sections[i].size() + 5;
            }
        }
        ByteWriter out = new ByteWriter(size);
        out.uv(step).uv(performed).u8(settled.reason).uv(settled.ms).uv(settled.uiEvents).u64(hash).uv(bitmap);
        for (ByteWriter section : sections) {
            if (section != null) {
                out.part(section);
            }
        }
        return out;
    }

    /** An intent to another app that a stand-in answered. */
    public static final class StandIn {
        final String action;
        final String data;
        final String component;
        final String answer;

        public StandIn(String action, String data, String component, String answer) {
            this.action = action;
            this.data = data;
            this.component = component;
            this.answer = answer;
        }
    }
}
