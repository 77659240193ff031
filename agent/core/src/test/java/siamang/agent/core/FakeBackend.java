package siamang.agent.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A device that notes what is done to it and shows what a test gives it. */
final class FakeBackend implements Backend, Eyes, Fingers, Apps {
    final Clock clock;
    final List<String> log = Collections.synchronizedList(new ArrayList<String>());
    boolean golden;
    FakeNode focused;
    volatile Screen screen;
    volatile boolean closed;
    /** While set, a touch waits for it and cannot be interrupted, as a binder call cannot. */
    volatile CountDownLatch hang;
    volatile CountDownLatch closeHangs;
    volatile RuntimeException closeFails;
    /** What cannot be undone at the end. */
    volatile String stays;
    volatile AgentException refuseTouch;
    volatile boolean typesAll;
    /** The worker that touched last, for a test to wait for its end. */
    volatile Thread toucher;
    EventSink sink;

    FakeBackend(Clock clock) {
        this.clock = clock;
        this.screen = oneButton();
    }

    /** The device of the golden conversation. */
    static FakeBackend golden() {
        FakeBackend backend = new FakeBackend(FakeClock.frozenAt(GoldenFrames.UPTIME));
        backend.golden = true;
        return backend;
    }

    static Screen oneButton() {
        FakeNode root = FakeNode.of("android.widget.FrameLayout", 0, 0, 1080, 1920)
                .with(FakeNode.of("android.widget.Button", 100, 100, 300, 200));
        return screenOf(root);
    }

    static Screen screenOf(Node root) {
        Window window = new Window(1, Window.APPLICATION, 0, Window.ACTIVE | Window.FOCUSED, 0, new int[] {0, 0, 1080, 1920}, "Main", root);
        return new Screen(0, 1080, 1920, new Top("com.example.notes", "com.example.notes.Main", Top.FROM_CONTROLLER), Collections.singletonList(window), false);
    }

    /** Fresh nodes each time, as a phone gives them. */
    private static Screen goldenScreen() {
        FakeNode message = FakeNode.of("android.widget.TextView", 140, 440, 940, 700);
        message.text = "Delete \u201cCaf\u00e9\u201d \ud83d\ude48?";
        FakeNode ok = FakeNode.of("android.widget.Button", 700, 1000, 940, 1160);
        ok.id = "com.example.notes:id/ok";
        ok.text = "OK";
        ok.flags |= Node.CLICKABLE | Node.FOCUSABLE;
        ok.actions = Node.ACTION_CLICK;
        FakeNode dialog = FakeNode.of("android.widget.FrameLayout", 100, 400, 980, 1200).with(message, ok);

        FakeNode pin = FakeNode.of("android.widget.EditText", 0, 100, 1080, 220);
        pin.id = "com.example.notes:id/pin";
        pin.text = "secret";
        pin.hint = "PIN";
        pin.inputType = 129;
        pin.maxLength = 8;
        pin.flags |= Node.FOCUSABLE | Node.FOCUSED | Node.PASSWORD | Node.EDITABLE;
        pin.actions = Node.ACTION_CLICK | Node.ACTION_SET_TEXT;
        FakeNode item = FakeNode.of("android.widget.TextView", 0, 220, 1080, 320).with((FakeNode) null);
        item.pkg = "com.other.widget";
        item.text = "";
        item.item = new int[] {3, 0};
        item.more = new Node.Action[] {new Node.Action(0x01020036, "Archive")};
        item.order = -2;
        item.flags = Node.CLICKABLE | Node.LONG_CLICKABLE | Node.ENABLED;
        item.actions = 16 + 32;
        FakeNode list = FakeNode.of("android.widget.ListView", 0, 220, 1080, 1920).with(item);
        list.description = "All notes";
        list.state = "3 of 10";
        list.pane = "Notes";
        list.tooltip = "Long press";
        list.unique = "list-1";
        list.collection = new int[] {10, 1};
        list.flags |= Node.SCROLLABLE;
        list.actions = 4096 + 8192;
        FakeNode main = FakeNode.of("android.widget.FrameLayout", 0, 0, 1080, 1920).with(pin, list);

        return new Screen(0, 1080, 1920, new Top("com.example.notes", "com.example.notes.Main", Top.FROM_CONTROLLER), Arrays.asList(
                new Window(7, Window.APPLICATION, 2, Window.ACTIVE | Window.FOCUSED, 0, new int[] {100, 400, 980, 1200}, "Delete note?", dialog),
                new Window(5, Window.APPLICATION, 1, 0, 0, new int[] {0, 0, 1080, 1920}, null, main),
                new Window(9, Window.INPUT_METHOD, 3, 0, 0, new int[] {0, 1300, 1080, 1920}, null, null)), false);
    }

    @Override
    public Facts facts() {
        return new Facts(Wire.BACKEND_JVM, 34, 1080, 1920, 420, 0, 0x2FFFF);
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public Eyes eyes() {
        return this;
    }

    @Override
    public Fingers fingers() {
        return this;
    }

    @Override
    public Apps apps() {
        return this;
    }

    @Override
    public void open(EventSink events) {
        sink = events;
    }

    @Override
    public long configure(Config config) {
        log.add("configure " + config.flags + " " + config.pkg + " " + config.pace.quietMs + " " + config.pace.reactionMs + " " + config.pace.capMs);
        return config.flags & ~Config.ANIMATIONS_OFF;
    }

    @Override
    public int rotate(int rotation) {
        log.add("rotate " + rotation);
        return rotation == Wire.ROTATION_FREE ? 0 : rotation;
    }

    @Override
    public ScreenState screenState(int todo) {
        log.add("screen " + todo);
        return new ScreenState(ScreenState.IS_ON, 0, 1080, 1920);
    }

    @Override
    public void testify(StepAnswer answer) {
        if (golden && log.contains("rotate 1") && !log.contains("testified")) {
            log.add("testified");
            answer.coverage(2, 40, new long[] {5, 7, 307});
            answer.callbacks(Arrays.asList("com.example.notes.Main.onClick", "com.example.notes.Main.onPause"));
            answer.intents(Collections.singletonList(new StepAnswer.StandIn("android.intent.action.PICK", "content://contacts", "", "cancelled")));
        }
    }

    @Override
    public List<Missing> missing() {
        return Collections.singletonList(new Missing(Cap.SCREEN, "a JVM has no screen"));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        log.add("close");
        if (closeFails != null) {
            throw closeFails;
        }
        if (closeHangs != null) {
            awaitQuietly(closeHangs);
        }
        if (stays != null) {
            sink.warn(EventSink.NOT_PUT_BACK, stays);
        }
    }

    @Override
    public Screen screen(Config config) {
        return golden ? goldenScreen() : screen;
    }

    @Override
    public Node focused() {
        return focused;
    }

    @Override
    public Top top() {
        return new Top("com.example.notes", "com.example.notes.Main", Top.FROM_CONTROLLER);
    }

    @Override
    public void arm() {
        log.add("arm");
    }

    @Override
    public Settled settle(Pace pace) {
        log.add("settle " + pace.quietMs + " " + pace.reactionMs + " " + pace.capMs);
        return new Settled(Settled.QUIET, 120, 3);
    }

    @Override
    public Shot shot(int format, int percent) {
        return new Shot(format, 2, 1, new byte[] {(byte) 0x89, 'P', 'N', 'G'});
    }

    @Override
    public void touch(Touch touch, long downTime) throws AgentException {
        log.add("touch " + touch.action + " " + Arrays.toString(touch.xs) + " " + Arrays.toString(touch.ys));
        toucher = Thread.currentThread();
        CountDownLatch latch = hang;
        while (latch != null && latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                log.add("interrupted");
                Thread.currentThread().interrupt();
                awaitUninterruptibly(latch);
            }
        }
        if (refuseTouch != null && touch.action != Touch.CANCEL) {
            throw refuseTouch;
        }
    }

    @Override
    public void key(boolean down, int code, int meta, long downTime) {
        log.add((down ? "down " : "up ") + code);
    }

    @Override
    public boolean type(String text) {
        log.add("type " + text);
        if (typesAll && focused != null) {
            focused.text = text;
        }
        return typesAll;
    }

    @Override
    public boolean paste(String text) {
        log.add("paste " + text);
        return false;
    }

    @Override
    public long longPressMs() {
        return 500;
    }

    @Override
    public String start(String pkg, String activity) {
        log.add("start " + pkg + " " + activity);
        return activity;
    }

    @Override
    public void open(String pkg, String address) {
        log.add("open " + pkg + " " + address);
    }

    @Override
    public void stop(String pkg) {
        log.add("stop " + pkg);
    }

    @Override
    public void clear(String pkg) {
        log.add("clear " + pkg);
    }

    @Override
    public int grant(String pkg, String permission) {
        log.add("grant " + pkg + " " + permission);
        return 1;
    }

    @Override
    public void revoke(String pkg, String permission) {
        log.add("revoke " + pkg + " " + permission);
    }

    @Override
    public int state(String pkg) {
        return INSTALLED;
    }

    @Override
    public void recall(String pkg) throws AgentException {
        throw new AgentException(AgentException.UNSUPPORTED, "no process to kill");
    }

    @Override
    public long keep(String pkg, String snapshot) throws AgentException {
        throw new AgentException(AgentException.UNSUPPORTED, "no snapshots");
    }

    @Override
    public void restore(String pkg, String snapshot) throws AgentException {
        throw new AgentException(AgentException.UNSUPPORTED, "no snapshots");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = Thread.interrupted();
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
