package siamang.agent.jvm.robo.inside;

import android.os.SystemClock;
import android.view.Surface;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.internal.TestEnvironment;
import siamang.agent.core.AgentException;
import siamang.agent.core.Apps;
import siamang.agent.core.Backend;
import siamang.agent.core.Cap;
import siamang.agent.core.Clock;
import siamang.agent.core.Config;
import siamang.agent.core.EventSink;
import siamang.agent.core.Eyes;
import siamang.agent.core.Fingers;
import siamang.agent.core.StepAnswer;
import siamang.agent.jvm.apk.Manifest;
import siamang.agent.jvm.robo.shared.ApkManifest;
import siamang.agent.jvm.robo.shared.AppClasses;

/** The device: one app on one Android in this JVM. Its methods are called by the host's worker and hop to the main thread. */
public final class JvmBackend implements Backend, Runnable {
    private static final int BACKEND_JVM = 2;
    private static final int SDK = 34;
    private static final int DENSITY = 320;
    static final int WIDTH = 822;
    static final int HEIGHT = 1462;

    private static JvmBackend instance;

    final Manifest manifest;
    /** The certificate of who signed the app, or null. */
    final byte[] signer;
    final MainThread main;
    final MainLoop loop;
    final AppThreads threads;
    final Keyboard keyboard = new Keyboard(this);
    final Windows windows = new Windows(keyboard);
    final Crashes crashes = new Crashes(this);
    final StandIns standIns = new StandIns(Path.of(System.getProperty("siamang.given", "")));
    final Storage storage;
    final Permissions permissions;
    final Question question = new Question(this);
    final Toasts toasts = new Toasts(this);
    EventSink events;
    private final JvmApps apps;
    final Boot boot;
    private final Eyes eyes = new JvmEyes(this);
    private final Fingers fingers = new JvmFingers(this);
    private final Clock clock = new VirtualClock(this);
    private int rotation;
    private volatile long earlierLives;
    private volatile boolean booted;

    /** Made on the main thread. */
    public JvmBackend(Object environment, ApkManifest manifest, AppClasses classes, Path data) {
        instance = this;
        ServerSockets.watch();
        Thread last = new Thread(crashes::lastWords, "siamang-last-words");
        last.setContextClassLoader(null);
        Runtime.getRuntime().addShutdownHook(last);
        this.manifest = manifest.facts;
        this.signer = manifest.signer;
        this.main = new MainThread(this);
        this.loop = new MainLoop(this);
        this.threads = new AppThreads();
        this.storage = new Storage(data);
        this.permissions = new Permissions(this.manifest, storage.permissions());
        this.boot = new Boot(this, (TestEnvironment) environment, manifest, classes);
        this.apps = new JvmApps(this, boot);
    }

    /** Makes ready for any app; on the main thread, before it serves. What goes wrong here will go wrong again where it is told. */
    public void warmUp() {
        EventSink before = events;
        events = (EventSink) Proxy.newProxyInstance(EventSink.class.getClassLoader(), new Class<?>[] {EventSink.class}, (proxy, method, arguments) -> null);
        try {
            boot.warmUp();
        } catch (Exception | LinkageError e) {
            System.err.println("warming up: " + e);
        } finally {
            events = before;
        }
    }

    static JvmBackend get() {
        return instance;
    }

    AppProcess process() {
        return AppProcess.current();
    }

    /** The main thread's whole life. */
    @Override
    public void run() {
        main.serve();
    }

    @Override
    public Facts facts() {
        long caps = 0;
        for (int cap : new int[] {Cap.ALL_WINDOWS, Cap.INPUT, Cap.CONTROLLER, Cap.ROTATION, Cap.START_STOP, Cap.CLEAR, Cap.GRANT, Cap.SCREENSHOT,
            Cap.TOASTS, Cap.NODE_ACTIONS, Cap.COVERAGE, Cap.CALLBACKS, Cap.INTENTS, Cap.SNAPSHOTS, Cap.HIT, Cap.VIRTUAL_TIME}) {
            caps |= Cap.bit(cap);
        }
        return new Facts(BACKEND_JVM, SDK, width(), height(), DENSITY, rotation, caps);
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public Eyes eyes() {
        return eyes;
    }

    @Override
    public Fingers fingers() {
        return fingers;
    }

    @Override
    public Apps apps() {
        return apps;
    }

    @Override
    public void open(EventSink sink) {
        events = sink;
    }

    @Override
    public long configure(Config config) {
        TaskStack.drop(config.has(Config.DROP_ACTIVITIES));
        return config.flags & (Config.NOT_IMPORTANT | Config.ALLOW_CLEAR | Config.CONFIRM | Config.DROP_ACTIVITIES);
    }

    @Override
    public int rotate(int next) throws AgentException {
        if (next <= Surface.ROTATION_270 && next != rotation) {
            boolean turned = (next - rotation) % 2 != 0;
            rotation = next;
            if (turned) {
                main.act(() -> {
                    RuntimeEnvironment.setQualifiers(isLandscape() ? "+land" : "+port");
                    TaskStack.get().configurationChangedLater();
                });
            }
        }
        return rotation;
    }

    int rotation() {
        return rotation;
    }

    int width() {
        return isLandscape() ? HEIGHT : WIDTH;
    }

    int height() {
        return isLandscape() ? WIDTH : HEIGHT;
    }

    void upright() {
        rotation = 0;
    }

    private boolean isLandscape() {
        return rotation % 2 != 0;
    }

    @Override
    public ScreenState screenState(int todo) throws AgentException {
        boolean[] keyboardShown = new boolean[1];
        main.act(() -> {
            if ((todo & ScreenState.DO_HIDE_KEYBOARD) != 0 && keyboard.isShown()) {
                keyboard.close();
            }
            keyboardShown[0] = keyboard.isShown();
        });
        return new ScreenState(ScreenState.IS_ON | (keyboardShown[0] ? ScreenState.IS_KEYBOARD_SHOWN : 0), rotation, width(), height());
    }

    @Override
    public void testify(StepAnswer answer) {
        threads.stepEnds();
        long[] fresh = Probes.takeFresh();
        answer.coverage(2, Probes.total(), fresh);
        answer.callbacks(Callbacks.take());
        answer.intents(standIns.take());
    }

    @Override
    public List<Missing> missing() {
        return List.of(
                new Missing(Cap.LOGCAT, "exceptions are caught where they are thrown"),
                new Missing(Cap.PASTE, "text is written into the field itself"),
                new Missing(Cap.SCREEN, "the screen is always on"));
    }

    @Override
    public void close() {
    }

    /** Device time goes on over the app's lives, though the framework's clock starts anew with each. */
    long now() {
        return earlierLives + (booted ? SystemClock.uptimeMillis() : 0);
    }

    long toUptime(long deviceTime) {
        return deviceTime - earlierLives;
    }

    /** The framework's clock is about to be set back. */
    void lifeEnds() {
        earlierLives = now();
        booted = false;
    }

    /** Nothing has happened on this device yet. */
    void timeBegins() {
        earlierLives = 0;
    }

    void lifeBegins() {
        booted = true;
    }
}
