package siamang.agent.device;

import android.content.ComponentName;
import android.graphics.Bitmap;
import android.graphics.Rect;
import android.os.Build;
import android.view.DisplayInfo;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import siamang.agent.core.AgentException;
import siamang.agent.core.Config;
import siamang.agent.core.Eyes;
import siamang.agent.core.Log;
import siamang.agent.core.Node;
import siamang.agent.core.Pace;
import siamang.agent.core.Screen;
import siamang.agent.core.Settled;
import siamang.agent.core.Shot;
import siamang.agent.core.Top;
import siamang.agent.core.UiPulse;
import siamang.agent.core.Window;

/** Reads windows, focus and pixels through the accessibility connection. */
final class DeviceEyes implements Eyes {
    private static final int JPEG_QUALITY = 80;
    private static final int SDK = Build.VERSION.SDK_INT;

    private final Automation automation;
    private final ActivityService activities;
    private final ScreenService screens;
    private final UiPulse pulse;
    private final AnrStacks stacks;
    private final ExitWatch exits;

    DeviceEyes(Automation automation, ActivityService activities, ScreenService screens, UiPulse pulse, AnrStacks stacks, ExitWatch exits) {
        this.automation = automation;
        this.activities = activities;
        this.screens = screens;
        this.pulse = pulse;
        this.stacks = stacks;
        this.exits = exits;
    }

    @Override
    public Screen screen(Config config) throws AgentException, InterruptedException {
        // Whoever sees that the app is gone has heard before why.
        stacks.await();
        exits.look(config.pkg);
        try {
            automation.forgetCache();
            return look(config);
        } catch (IllegalStateException e) {
            throw new AgentException(AgentException.NOT_CONNECTED, "the accessibility connection is gone", String.valueOf(e.getMessage()));
        }
    }

    private Screen look(Config config) {
        List<Window> windows = new ArrayList<Window>();
        for (AccessibilityWindowInfo info : automation.get().getWindows()) {
            Window window = window(info, config);
            if (window != null) {
                windows.add(window);
            }
        }
        boolean partial = windows.isEmpty();
        if (partial) {
            windows = activeOnly();
        }
        DisplayInfo display = screens.display();
        return new Screen(display.rotation, display.logicalWidth, display.logicalHeight, top(windows), windows, partial);
    }

    @Override
    public Node focused() {
        Patience patience = new Patience();
        AccessibilityNodeInfo focus = automation.get().findFocus(AccessibilityNodeInfo.FOCUS_INPUT);
        if (focus == null) {
            patience.nothing("for the focus");
            return null;
        }
        return new InfoNode(focus);
    }

    @Override
    public Top top() throws AgentException {
        ComponentName top = activities.top();
        if (top != null) {
            return new Top(top.getPackageName(), top.getClassName(), Top.FROM_TASKS);
        }
        return top(activeOnly());
    }

    @Override
    public void arm() {
        pulse.arm();
    }

    @Override
    public Settled settle(Pace pace) throws InterruptedException {
        return pulse.settle(pace);
    }

    @Override
    public Shot shot(int format, int percent) throws AgentException {
        Bitmap full = capture();
        if (full == null) {
            return Screencap.shot(format, percent);
        }
        int width = Math.max(1, full.getWidth() * percent / 100);
        int height = Math.max(1, full.getHeight() * percent / 100);
        Bitmap bitmap = percent == 100 ? full : Bitmap.createScaledBitmap(full, width, height, true);
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            Bitmap.CompressFormat form = format == Shot.PNG ? Bitmap.CompressFormat.PNG : Bitmap.CompressFormat.JPEG;
            if (!bitmap.compress(form, JPEG_QUALITY, out)) {
                throw new AgentException(AgentException.INTERNAL, "could not compress the screenshot");
            }
            return new Shot(format, bitmap.getWidth(), bitmap.getHeight(), out.toByteArray());
        } finally {
            bitmap.recycle();
            full.recycle();
        }
    }

    /** Null where it does not work: it asks the display through a part of the framework that vendors change. */
    private Bitmap capture() {
        try {
            return automation.get().takeScreenshot();
        } catch (RuntimeException e) {
            Log.note("taking a screenshot", e);
            return null;
        }
    }

    boolean keyboardShown() {
        for (AccessibilityWindowInfo info : automation.get().getWindows()) {
            if (info.getType() == AccessibilityWindowInfo.TYPE_INPUT_METHOD) {
                return true;
            }
        }
        return false;
    }

    /** Null if it is none of those that CONFIG wants to see. */
    private static Window window(AccessibilityWindowInfo info, Config config) {
        int type = info.getType();
        boolean inFront = info.isActive() || info.isFocused();
        boolean keyboard = type == AccessibilityWindowInfo.TYPE_INPUT_METHOD;
        boolean app = type == AccessibilityWindowInfo.TYPE_APPLICATION;
        if (!app && !keyboard && !inFront && !config.has(Config.SYSTEM_WINDOWS)) {
            return null;
        }
        Patience patience = new Patience();
        AccessibilityNodeInfo root = info.getRoot();
        if (root == null && inFront) {
            patience.nothing("for the root of window " + info.getId());
        }
        if (app && !inFront && !config.pkg.isEmpty() && root != null && !config.pkg.contentEquals(text(root.getPackageName()))) {
            return null;
        }
        Rect bounds = new Rect();
        info.getBoundsInScreen(bounds);
        int flags = info.isActive() ? Window.ACTIVE : 0;
        flags |= info.isFocused() ? Window.FOCUSED : 0;
        flags |= SDK >= Since26.LEVEL && Since26.isPictureInPicture(info) ? Window.PICTURE_IN_PICTURE : 0;
        int display = SDK >= Since30.LEVEL ? Since30.display(info) : 0;
        CharSequence title = SDK >= Since24.LEVEL ? Since24.title(info) : null;
        int[] ltrb = {bounds.left, bounds.top, bounds.right, bounds.bottom};
        return new Window(info.getId(), type, info.getLayer(), flags, display, ltrb, title, root == null ? null : new InfoNode(root));
    }

    /** Where the list of windows is empty, the active window can still have a root. */
    private List<Window> activeOnly() {
        Patience patience = new Patience();
        AccessibilityNodeInfo root = automation.get().getRootInActiveWindow();
        if (root == null) {
            patience.nothing("for the root of the active window");
            return Collections.emptyList();
        }
        Rect bounds = new Rect();
        root.getBoundsInScreen(bounds);
        int[] ltrb = {bounds.left, bounds.top, bounds.right, bounds.bottom};
        return Collections.singletonList(new Window(root.getWindowId(), Window.APPLICATION, 0, Window.ACTIVE | Window.FOCUSED, 0, ltrb, null, new InfoNode(root)));
    }

    private Top top(List<Window> windows) {
        try {
            ComponentName top = activities.top();
            if (top != null) {
                return new Top(top.getPackageName(), top.getClassName(), Top.FROM_TASKS);
            }
        } catch (AgentException e) {
            // A tree without an activity's name is better than none; TOP reports the reason.
            return fromWindow(windows);
        }
        return fromWindow(windows);
    }

    private static Top fromWindow(List<Window> windows) {
        for (Window window : windows) {
            if ((window.flags & Window.ACTIVE) != 0 && window.root != null) {
                return new Top(text(window.root.packageName()).toString(), "", Top.FROM_WINDOW);
            }
        }
        return new Top("", "", Top.FROM_WINDOW);
    }

    private static CharSequence text(CharSequence maybe) {
        return maybe == null ? "" : maybe;
    }
}
