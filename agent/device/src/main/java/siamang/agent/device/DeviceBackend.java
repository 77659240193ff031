package siamang.agent.device;

import android.app.UiAutomation;
import android.os.Build;
import android.os.SystemClock;
import android.view.DisplayInfo;
import android.view.KeyEvent;
import android.view.accessibility.AccessibilityEvent;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import siamang.agent.core.AgentException;
import siamang.agent.core.Apps;
import siamang.agent.core.Backend;
import siamang.agent.core.Cap;
import siamang.agent.core.Clock;
import siamang.agent.core.Config;
import siamang.agent.core.EventSink;
import siamang.agent.core.Eyes;
import siamang.agent.core.Fingers;
import siamang.agent.core.Log;
import siamang.agent.core.StepAnswer;
import siamang.agent.core.UiPulse;
import siamang.agent.core.Wire;

/** A phone or an emulator, driven by the shell. What cannot be had is left out with its reason; the rest goes on. */
final class DeviceBackend implements Backend {
    private static final int KEYCODE_WAKEUP = 224;
    private static final long SCREEN_WAIT_MS = 1_000;
    private static final long SCREEN_POLL_MS = 50;

    private final Automation automation;
    private final DeviceSettings settings;
    private final Clock clock = new DeviceClock();
    private final UiPulse pulse = new UiPulse(clock);
    private final ActivityService activities = new ActivityService();
    private final ScreenService screens;
    private final DeviceEyes eyes;
    private final DeviceApps apps;
    private final List<Missing> missing = new ArrayList<Missing>();
    private EventSink events;
    private DeviceFingers fingers;
    private final AnrStacks stacks = new AnrStacks();
    private final ExitWatch exits = new ExitWatch(activities);
    private Controller controller;
    private Logcat logcat;
    private boolean knowsRotation;
    private long caps;

    DeviceBackend(Automation automation, File journal) throws AgentException {
        this.automation = automation;
        this.settings = new DeviceSettings(journal);
        this.screens = new ScreenService();
        this.eyes = new DeviceEyes(automation, activities, screens, pulse, stacks, exits);
        this.apps = new DeviceApps(activities, new PackageService(), automation.get(), exits);
    }

    @Override
    public void open(EventSink sink) throws AgentException {
        events = sink;
        exits.open(sink);
        have(Cap.ALL_WINDOWS, Cap.ROTATION, Cap.START_STOP, Cap.CLEAR, Cap.SCREENSHOT, Cap.TOASTS, Cap.NODE_ACTIONS, Cap.SCREEN, Cap.HIT, Cap.INPUT);
        recover();
        try {
            noteRotation();
        } catch (AgentException e) {
            events.warn("the rotation may not be put back", e.detail());
        }
        ClipboardService clipboard = null;
        try {
            clipboard = new ClipboardService();
            have(Cap.PASTE);
        } catch (AgentException e) {
            lack(Cap.PASTE, e);
        }
        fingers = new DeviceFingers(new InputService(automation.get(), events), clipboard, settings.longPressMs());
        if (Build.VERSION.SDK_INT >= Since23.LEVEL) {
            have(Cap.GRANT);
        } else {
            lack(Cap.GRANT, new AgentException(AgentException.UNSUPPORTED, "before API 23 all permissions are granted at install"));
        }
        automation.get().setOnAccessibilityEventListener(new Listener());
        automation.look(false);
        control(false);
        logcat = new Logcat(events);
        try {
            logcat.open();
            have(Cap.LOGCAT);
        } catch (IOException e) {
            lack(Cap.LOGCAT, Failures.of("follow logcat", e));
        }
    }

    @Override
    public Facts facts() {
        DisplayInfo display = screens.display();
        return new Facts(Wire.BACKEND_DEVICE, Build.VERSION.SDK_INT, display.logicalWidth, display.logicalHeight, display.logicalDensityDpi,
                display.rotation, caps);
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
    public long configure(Config config) {
        long inForce = config.flags;
        automation.look(config.has(Config.NOT_IMPORTANT));
        if (controller != null) {
            control(config.has(Config.SAY_MONKEY));
            controller.target(config.pkg);
        }
        inForce &= ~(config.has(Config.ANIMATIONS_OFF) && !animationsOff() ? Config.ANIMATIONS_OFF : 0);
        inForce &= ~(config.has(Config.STAY_AWAKE) && !stayAwake() ? Config.STAY_AWAKE : 0);
        return inForce;
    }

    @Override
    public int rotate(int rotation) throws AgentException {
        int how = rotation == Wire.ROTATION_FREE ? UiAutomation.ROTATION_UNFREEZE : rotation;
        if (!knowsRotation) {
            noteRotation();
        }
        if (!automation.get().setRotation(how)) {
            throw new AgentException(AgentException.UNSUPPORTED, "the system did not turn the screen");
        }
        return screens.display().rotation;
    }

    @Override
    public ScreenState screenState(int todo) throws AgentException {
        if ((todo & ScreenState.DO_WAKE) != 0 && !screens.isOn()) {
            press(KEYCODE_WAKEUP);
            waitForScreen();
        }
        if ((todo & ScreenState.DO_DISMISS_KEYGUARD) != 0 && screens.isLocked()) {
            screens.dismissKeyguard();
            waitForKeyguard();
        }
        if ((todo & ScreenState.DO_HIDE_KEYBOARD) != 0 && eyes.keyboardShown()) {
            press(KeyEvent.KEYCODE_BACK);
            waitForKeyboard();
        }
        int is = screens.isOn() ? ScreenState.IS_ON : 0;
        is |= screens.isLocked() ? ScreenState.IS_LOCKED : 0;
        is |= eyes.keyboardShown() ? ScreenState.IS_KEYBOARD_SHOWN : 0;
        DisplayInfo display = screens.display();
        return new ScreenState(is, display.rotation, display.logicalWidth, display.logicalHeight);
    }

    /** A phone shows nothing of an app's inside. */
    @Override
    public void testify(StepAnswer answer) {
    }

    @Override
    public List<Missing> missing() {
        synchronized (missing) {
            return new ArrayList<Missing>(missing);
        }
    }

    /** Each part by itself: what goes wrong in one must not keep the others from being undone. */
    @Override
    public void close() {
        if (logcat != null) {
            logcat.close();
        }
        try {
            if (controller != null) {
                activities.setController(null, false);
            }
        } catch (AgentException e) {
            Log.note("letting go of the activity controller", e);
        }
        // Before the settings: it has an opinion of its own about the rotation.
        automation.disconnect();
        try {
            settings.restore();
        } catch (IOException e) {
            events.warn(EventSink.NOT_PUT_BACK, e.getMessage());
        }
    }

    private void noteRotation() throws AgentException {
        try {
            settings.noteRotation();
            knowsRotation = true;
        } catch (IOException e) {
            throw Failures.of("note the rotation before changing it", e);
        }
    }

    private void recover() {
        try {
            int count = settings.recover();
            if (count > 0) {
                events.warn("recovered", count + " settings of an agent that was killed were put back");
            }
        } catch (IOException e) {
            events.warn("recovered", "settings of an agent that was killed could not be put back: " + e.getMessage());
        }
    }

    private void control(boolean sayMonkey) {
        try {
            Controller next = controller == null ? new Controller(events, stacks) : controller;
            activities.setController(next, sayMonkey);
            controller = next;
            have(Cap.CONTROLLER);
        } catch (AgentException e) {
            lack(Cap.CONTROLLER, e);
        }
    }

    private boolean animationsOff() {
        try {
            settings.animationsOff();
            return true;
        } catch (IOException e) {
            events.warn("animations stay on", e.getMessage());
            return false;
        }
    }

    private boolean stayAwake() {
        try {
            settings.stayAwake();
            return true;
        } catch (IOException e) {
            events.warn("the screen may go off", e.getMessage());
            return false;
        }
    }

    private void press(int code) throws AgentException {
        long now = SystemClock.uptimeMillis();
        fingers.key(true, code, 0, now);
        fingers.key(false, code, 0, now);
    }

    private void waitForScreen() throws AgentException {
        for (long end = clock.now() + SCREEN_WAIT_MS; !screens.isOn() && clock.now() < end; ) {
            rest();
        }
    }

    private void waitForKeyguard() throws AgentException {
        for (long end = clock.now() + SCREEN_WAIT_MS; screens.isLocked() && clock.now() < end; ) {
            rest();
        }
    }

    private void waitForKeyboard() throws AgentException {
        for (long end = clock.now() + SCREEN_WAIT_MS; eyes.keyboardShown() && clock.now() < end; ) {
            rest();
        }
    }

    private void rest() throws AgentException {
        try {
            clock.pause(SCREEN_POLL_MS);
        } catch (InterruptedException e) {
            throw new AgentException(AgentException.TIMEOUT, "the deadline passed");
        }
    }

    private void have(int... bits) {
        for (int bit : bits) {
            caps |= Cap.bit(bit);
        }
    }

    private void lack(int cap, AgentException why) {
        String reason = why.getMessage() + (why.detail().isEmpty() ? "" : ": " + why.detail());
        synchronized (missing) {
            missing.add(new Missing(cap, reason));
        }
        events.warn("capability " + cap + " is missing", reason);
    }

    /** Every event of the accessibility connection; runs on its own thread and must be quick. */
    private final class Listener implements UiAutomation.OnAccessibilityEventListener {
        @Override
        public void onAccessibilityEvent(AccessibilityEvent event) {
            switch (event.getEventType()) {
                case AccessibilityEvent.TYPE_WINDOW_STATE_CHANGED:
                case AccessibilityEvent.TYPE_WINDOWS_CHANGED:
                    pulse.beat();
                    events.windowsChanged();
                    break;
                case AccessibilityEvent.TYPE_WINDOW_CONTENT_CHANGED:
                case AccessibilityEvent.TYPE_VIEW_SCROLLED:
                    pulse.beat();
                    break;
                case AccessibilityEvent.TYPE_NOTIFICATION_STATE_CHANGED:
                    toast(event);
                    break;
                default:
                    break;
            }
        }

        private void toast(AccessibilityEvent event) {
            CharSequence cls = event.getClassName();
            if (cls == null || !cls.toString().contains("Toast")) {
                return;
            }
            StringBuilder text = new StringBuilder();
            for (CharSequence part : event.getText()) {
                text.append(text.length() == 0 ? "" : "\n").append(part);
            }
            events.toast(String.valueOf(event.getPackageName()), text.toString());
        }
    }
}
