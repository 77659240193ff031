package siamang.agent.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The golden frames, in the order in which one conversation speaks them; {@link FakeBackend} is the other half of it. */
final class GoldenFrames {
    static final byte[] TOKEN = count(0x00, 16);
    static final byte[] NONCE = count(0x10, 16);
    static final byte[] HOST_NONCE = count(0x20, 16);
    static final byte[] NONCE_2 = count(0x30, 16);
    static final byte[] HOST_NONCE_2 = count(0x40, 16);
    static final long SESSION = 0x0123456789ABCDEFL;
    static final String BUILD = "golden";
    static final long UPTIME = 5000;
    private static final int NEXT_SEQ = 8;
    private static final String PKG = "com.example.notes";

    private final Map<String, GoldenWriter> frames = new LinkedHashMap<String, GoldenWriter>();

    private GoldenFrames() {
    }

    /** All frames by name; a name without "ok", "error" or "event" is a request. */
    static Map<String, GoldenWriter> all() {
        GoldenFrames golden = new GoldenFrames();
        golden.handshake();
        golden.looking();
        golden.stepping();
        golden.theRest();
        return golden.frames;
    }

    private void handshake() {
        hello("event_hello", NONCE);
        request("auth", 2, 1, 0, w().uv(1, "major").uv(0, "minor").put(HOST_NONCE, "host_nonce")
                .put(Handshake.hostMac(TOKEN, NONCE, HOST_NONCE), "mac, token 000102…0f").uv(16777216, "max_frame"));
        events();
        ok("auth_ok", 2, 1, NEXT_SEQ, w().u64(SESSION, "session").put(Handshake.agentMac(TOKEN, NONCE, HOST_NONCE), "agent_mac"));
        request("config", 5, 2, NEXT_SEQ, w().uv(0, "max_nodes").uv(40, "max_depth").uv(4 + 8, "flags").str(PKG, "package")
                .uv(50, "quiet_ms").uv(0, "reaction_ms").uv(2000, "cap_ms"));
        ok("config_ok", 5, 2, NEXT_SEQ, w().uv(4, "flags in force"));
        request("ping", 4, 3, 7, w());
        ok("ping_ok", 4, 3, NEXT_SEQ, w());
    }

    private void hello(String name, byte[] nonce) {
        GoldenWriter body = w().uv(0, "seq").uv(0, "uptime_ms").put(new byte[] {'S', 'I', 'A', 'M'}, "magic").uv(1, "major").uv(0, "minor")
                .str(BUILD, "build").u8(2, "backend").uv(34, "sdk").uv(1080, "width").uv(1920, "height").uv(420, "density").u8(0, "rotation")
                .uv(0x2FFFF, "caps").put(nonce, "nonce");
        frame(name, 4, 1, 0, body);
    }

    private void events() {
        event("event_crash", 64, 1, w().str(PKG, "process").uv(4321, "pid").bool(false, "native").str("java.lang.ArithmeticException", "short")
                .str("java.lang.ArithmeticException: divide by zero", "long")
                .str("java.lang.ArithmeticException: divide by zero\n\tat com.example.notes.Main.onClick(Main.java:7)\n", "stack")
                .u8(1, "source").uv(1700000000123L, "wall_ms"));
        event("event_anr", 65, 2, w().str(PKG, "process").uv(4321, "pid").str("Input dispatching timed out", "reason").u8(1, "source"));
        event("event_exit", 66, 3, w().str(PKG, "process").uv(4321, "pid").str("System.exit", "reason"));
        event("event_activity", 67, 4, w().u8(2, "what").str(PKG, "package").str("com.example.notes.Main", "component"));
        event("event_toast", 68, 5, w().str(PKG, "package").str("Saved", "text"));
        event("event_external_intent", 69, 6, w().str("android.intent.action.VIEW", "action").str("https://example.com/", "data").str("", "component"));
        event("event_windows", 70, 7, w().uv(3, "changes"));
        event("event_warn", 71, 8, w().str("clipboard", "what").str("no clipboard service", "why"));
    }

    private void looking() {
        request("tree", 6, 4, NEXT_SEQ, w().u64(0, "known"));
        GoldenWriter tree = tree(1);
        ok("tree_ok", 6, 4, NEXT_SEQ, w().u64(hash(tree), "hash").bool(false, "same").part(tree, "tree"));
        request("tree_known", 6, 5, NEXT_SEQ, w().u64(hash(tree), "known"));
        ok("tree_known_ok", 6, 5, NEXT_SEQ, w().u64(hash(tree), "hash").bool(true, "same").uv(0, "tree: length"));
    }

    /** The screen of {@link FakeBackend#golden()}. */
    private static GoldenWriter tree(long id) {
        GoldenWriter t = w().uv(id, "tree_id").uv(UPTIME, "uptime_ms");
        t.uv(8 + 32, "flags").u8(0, "rotation").uv(1080, "width").uv(1920, "height");
        String[] strings = {
            PKG, "com.example.notes.Main", "Delete note?", "android.widget.FrameLayout", "Delete \u201cCaf\u00e9\u201d \ud83d\ude48?",
            "android.widget.TextView", "com.example.notes:id/ok", "OK", "android.widget.Button", "com.example.notes:id/pin",
            "\u2022\u2022\u2022\u2022\u2022\u2022", "PIN", "android.widget.EditText", "All notes", "3 of 10", "Notes", "Long press", "list-1",
            "android.widget.ListView", "com.other.widget", "", "Archive",
        };
        t.uv(strings.length, "strings");
        for (int i = 0; i < strings.length; i++) {
            t.str(strings[i], "string " + (i + 1));
        }
        t.uv(1, "top package").uv(2, "top activity");
        t.uv(3, "windows");
        window(t, 7, 1, 2, 3, new int[] {100, 400, 980, 1200}, 3, 3);
        window(t, 5, 1, 1, 0, new int[] {0, 0, 1080, 1920}, 0, 4);
        window(t, 9, 2, 3, 0, new int[] {0, 1300, 1080, 1920}, 0, 0);
        t.uv(7, "nodes");
        node(t, 2, 1, 4, new int[] {0, 0, 0, 0}, 64 + 2048 + 4096, 0).uv(1, "package");
        node(t, 0, 4, 6, new int[] {40, 40, -40, -500}, 64 + 2048 + 4096, 0).uv(5, "text");
        node(t, 0, 2 + 4, 9, new int[] {600, 600, -40, -40}, 4 + 16 + 64 + 2048 + 4096, 16).uv(7, "id").uv(8, "text");
        node(t, 2, 1, 4, new int[] {0, 0, 0, 0}, 64 + 2048 + 4096, 0).uv(1, "package");
        node(t, 0, 2 + 4 + 16 + 512 + 1024, 13, new int[] {0, 100, 0, -1700}, 16 + 32 + 64 + 256 + 1024 + 2048 + 4096, 16 + 2097152)
                .uv(10, "id").uv(11, "text, masked").uv(12, "hint").uv(129, "input_type").uv(8, "max_text_length");
        node(t, 1, 8 + 32 + 64 + 128 + 256 + 2048, 19, new int[] {0, 220, 0, 0}, 64 + 128 + 2048 + 4096, 4096 + 8192)
                .uv(14, "description").uv(15, "state description").uv(16, "pane title").uv(17, "tooltip").uv(18, "unique id").sv(10, "rows").sv(1, "columns");
        node(t, 0, 1 + 4 + 4096 + 8192 + 16384, 6, new int[] {0, 0, 0, -1600}, 4 + 8 + 64 + 262144, 16 + 32)
                .uv(20, "package").uv(21, "text, empty").sv(3, "row").sv(0, "column")
                .uv(1, "more actions").uv(0x01020036, "action id").uv(22, "label").sv(-2, "drawing_order");
        return t;
    }

    private static void window(GoldenWriter t, int id, int type, int layer, int flags, int[] ltrb, int title, int nodes) {
        t.sv(id, "window id").u8(type, "type").sv(layer, "layer").uv(flags, "flags").uv(0, "display");
        t.sv(ltrb[0], "left").sv(ltrb[1], "top").sv(ltrb[2], "right").sv(ltrb[3], "bottom").uv(title, "title").uv(nodes, "nodes");
    }

    private static GoldenWriter node(GoldenWriter t, int children, int has, int cls, int[] delta, int flags, int actions) {
        return t.uv(children, "node: children").uv(has, "has").uv(cls, "class")
                .sv(delta[0], "left").sv(delta[1], "top").sv(delta[2], "right").sv(delta[3], "bottom").uv(flags, "flags").uv(actions, "actions");
    }

    private void stepping() {
        GoldenWriter list = w().uv(1, "step").uv(9, "primitives");
        list.u8(1, "tap").sv(800, "x").sv(1100, "y");
        list.u8(2, "long tap").sv(-1, "x").sv(-1, "y").uv(0, "hold_ms");
        list.u8(3, "swipe").uv(2, "points").sv(540, "x").sv(1500, "y").sv(540, "x").sv(300, "y").uv(200, "ms");
        list.u8(4, "pinch").sv(540, "x").sv(960, "y").uv(100, "from").uv(300, "to").uv(200, "ms");
        list.u8(5, "key").uv(4, "code").uv(0, "meta");
        list.u8(6, "text").uv(2, "tree").uv(5, "node + 1").str("12\u00e434", "text").u8(0, "mode").bool(true, "enter");
        list.u8(7, "node action").uv(2, "tree").uv(2, "node").uv(16, "action").uv(3, "arguments")
                .str("i", "key").u8(1, "type").sv(-5, "value").str("b", "key").u8(2, "type").bool(true, "value").str("s", "key").u8(3, "type").str("x", "value");
        list.u8(8, "wait").uv(250, "ms");
        list.u8(9, "rotate").u8(1, "rotation");
        request("step", 8, 6, NEXT_SEQ, pace(list, 1, 0, 80, 0).uv(1 + 4, "want").u64(0, "known"));
        GoldenWriter tree = tree(3);
        GoldenWriter answer = w().uv(1, "step").uv(9, "performed").u8(1, "settled").uv(120, "settle_ms").uv(3, "ui_events").u64(hash(tree), "hash");
        answer.uv(127, "sections");
        answer.part(tree, "tree");
        answer.part(w().u8(1, "format").uv(2, "width").uv(1, "height").bytes(new byte[] {(byte) 0x89, 'P', 'N', 'G'}, "image"), "shot");
        answer.part(w().u8(2, "source").uv(40, "total").uv(3, "fresh").uv(5, "5").uv(2, "7").uv(300, "307"), "coverage");
        answer.part(w().uv(2, "callbacks").str("com.example.notes.Main.onClick", "callback").str("com.example.notes.Main.onPause", "callback"), "callbacks");
        GoldenWriter hits = w().uv(2, "tree").uv(4, "hits");
        hits.uv(0, "primitive").sv(7, "window").uv(3, "node + 1");
        hits.uv(1, "primitive").sv(-1, "window").uv(0, "node + 1");
        hits.uv(2, "primitive").sv(5, "window").uv(6, "node + 1");
        hits.uv(3, "primitive").sv(7, "window").uv(1, "node + 1");
        answer.part(hits, "hit");
        answer.part(w().uv(1, "intents").str("android.intent.action.PICK", "action").str("content://contacts", "data").str("", "component").str("cancelled", "answer"), "intents");
        answer.part(w().uv(1, "texts").uv(5, "primitive").u8(1, "method").u8(2, "verified"), "text");
        ok("step_ok", 8, 6, NEXT_SEQ, answer);

        request("step_bare", 8, 7, NEXT_SEQ, pace(w().uv(2, "step").uv(0, "primitives"), 0, 0, 0, 0).uv(2, "want").u64(hash(tree), "known"));
        ok("step_bare_ok", 8, 7, NEXT_SEQ, w().uv(2, "step").uv(0, "performed").u8(0, "settled").uv(0, "settle_ms").uv(0, "ui_events")
                .u64(hash(tree), "hash").uv(16, "sections").part(w().uv(3, "tree").uv(0, "hits"), "hit"));

        GoldenWriter stale = w().uv(1, "step").uv(0, "primitives");
        request("step_stale", 8, 8, NEXT_SEQ, pace(stale, 0, 0, 0, 0).uv(0, "want").u64(0, "known"));
        error("step_stale_error", 8, 8, 2, false, "step 1 is older than step 2", "");

        GoldenWriter reset = w().uv(3, "step").u8(2, "mode").str(PKG, "package").str(".Main", "component").str("", "snapshot");
        request("reset", 9, 9, NEXT_SEQ, pace(reset, 1, 0, 0, 0).uv(0, "want").u64(0, "known"));
        ok("reset_ok", 9, 9, NEXT_SEQ, w().uv(3, "step").uv(0, "performed").u8(1, "settled").uv(120, "settle_ms").uv(3, "ui_events").u64(0, "hash").uv(0, "sections"));
    }

    private void opening() {
        GoldenWriter open = w().uv(4, "step").uv(1, "primitives").u8(10, "open").str(PKG, "package").str("notes://new?text=a%20b", "address");
        request("step_open", 8, 19, NEXT_SEQ, pace(open, 1, 0, 0, 0).uv(0, "want").u64(0, "known"));
        ok("step_open_ok", 8, 19, NEXT_SEQ, w().uv(4, "step").uv(1, "performed").u8(1, "settled").uv(120, "settle_ms").uv(3, "ui_events").u64(0, "hash")
                .uv(16, "sections").part(w().uv(4, "tree").uv(0, "hits"), "hit"));
    }

    private void theRest() {
        request("app", 10, 10, NEXT_SEQ, w().u8(4, "verb").str(PKG, "package").str("android.permission.CAMERA", "name"));
        ok("app_ok", 10, 10, NEXT_SEQ, w().uv(1, "value").str("", "name"));
        request("top", 11, 11, NEXT_SEQ, w());
        ok("top_ok", 11, 11, NEXT_SEQ, w().str(PKG, "package").str("com.example.notes.Main", "activity").u8(1, "source"));
        request("shot", 12, 12, NEXT_SEQ, w().u8(1, "format").uv(50, "percent"));
        ok("shot_ok", 12, 12, NEXT_SEQ, w().u8(1, "format").uv(2, "width").uv(1, "height").bytes(new byte[] {(byte) 0x89, 'P', 'N', 'G'}, "image"));
        request("rotate", 13, 13, NEXT_SEQ, w().u8(4, "rotation"));
        ok("rotate_ok", 13, 13, NEXT_SEQ, w().u8(0, "rotation"));
        request("screen", 14, 14, NEXT_SEQ, w().uv(7, "do"));
        ok("screen_ok", 14, 14, NEXT_SEQ, w().uv(1, "is").u8(0, "rotation").uv(1080, "width").uv(1920, "height"));
        request("unknown_op", 99, 15, NEXT_SEQ, w());
        error("unknown_op_error", 99, 15, 9, false, "unknown op 99", "");
        hello("event_hello_again", NONCE_2);
        request("resume", 3, 16, 6, w().uv(1, "major").uv(0, "minor").put(HOST_NONCE_2, "host_nonce")
                .put(Handshake.hostMac(TOKEN, NONCE_2, HOST_NONCE_2), "mac").uv(65536, "max_frame").u64(SESSION, "session").uv(2, "last_step"));
        ok("resume_ok", 3, 16, NEXT_SEQ, w().u64(SESSION, "session").put(Handshake.agentMac(TOKEN, NONCE_2, HOST_NONCE_2), "agent_mac")
                .uv(3, "step").u8(2, "step_state"));
        request("stat", 16, 17, NEXT_SEQ, w());
        ok("stat_ok", 16, 17, NEXT_SEQ, w().uv(15, "requests").uv(3, "steps").uv(8, "events").uv(0, "dropped").uv(0, "dropped_failures")
                .uv(0, "workers_lost").uv(0, "queued").uv(0, "act_us").uv(0, "settle_us").uv(0, "tree_us")
                .uv(1, "missing").uv(16, "cap bit").str("a JVM has no screen", "reason"));
        opening();
        request("bye", 17, 18, NEXT_SEQ, w());
        ok("bye_ok", 17, 18, NEXT_SEQ, w());
    }

    private static GoldenWriter pace(GoldenWriter out, int mode, int quiet, int reaction, int cap) {
        return out.u8(mode, "pace").uv(quiet, "quiet_ms").uv(reaction, "reaction_ms").uv(cap, "cap_ms");
    }

    /** FNV-1a 64 of the tree after tree_id and uptime_ms (1 and 2 bytes here). */
    private static long hash(GoldenWriter tree) {
        long hash = 0xcbf29ce484222325L;
        byte[] bytes = tree.bytes();
        for (int i = 3; i < bytes.length; i++) {
            hash ^= bytes[i] & 0xFF;
            hash *= 0x100000001b3L;
        }
        return hash;
    }

    private void request(String name, int op, int id, long seen, GoldenWriter body) {
        frame(name, 1, op, id, prefix(0, "deadline_ms", seen, "seen", body));
    }

    private void ok(String name, int op, int id, long lastSeq, GoldenWriter body) {
        frame(name, 2, op, id, prefix(lastSeq, "last_seq", UPTIME, "uptime_ms", body));
    }

    private void error(String name, int op, int id, int code, boolean retriable, String message, String detail) {
        GoldenWriter body = w().uv(code, "code").bool(retriable, "retriable").str(message, "message").str(detail, "detail");
        frame(name, 3, op, id, prefix(NEXT_SEQ, "last_seq", UPTIME, "uptime_ms", body));
    }

    private void event(String name, int op, long seq, GoldenWriter body) {
        frame(name, 4, op, 0, prefix(seq, "seq", UPTIME, "uptime_ms", body));
    }

    private static GoldenWriter prefix(long first, String firstName, long second, String secondName, GoldenWriter body) {
        GoldenWriter out = w().uv(first, firstName).uv(second, secondName);
        return out.append(body);
    }

    private void frame(String name, int kind, int op, int id, GoldenWriter payload) {
        frames.put(name, GoldenWriter.frame(kind, op, id, payload, name));
    }

    static List<String> names() {
        return new ArrayList<String>(all().keySet());
    }

    private static GoldenWriter w() {
        return new GoldenWriter();
    }

    private static byte[] count(int from, int length) {
        byte[] out = new byte[length];
        for (int i = 0; i < length; i++) {
            out[i] = (byte) (from + i);
        }
        return out;
    }
}
