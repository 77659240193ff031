package siamang.agent.jvm.robo.inside;

import android.app.Activity;
import android.graphics.Rect;
import android.os.Build;
import android.os.Bundle;
import android.os.IBinder;
import android.os.ResultReceiver;
import android.view.InsetsSource;
import android.view.InsetsState;
import android.view.KeyEvent;
import android.view.View;
import android.view.ViewRootImpl;
import android.view.WindowInsets;
import android.view.WindowManager.LayoutParams;
import android.view.inputmethod.InputMethodManager;
import java.util.Map;
import org.robolectric.shadows.ShadowWindowManagerGlobal;
import org.robolectric.util.ReflectionHelpers;
import siamang.agent.jvm.robo.shared.Hidden;

/**
 * The soft keyboard: when it comes and goes, as the input method manager of a phone decides, and the room that it takes
 * from the window it types into. On the main thread.
 */
final class Keyboard {
    private static final int HEIGHT = 520;
    private static final String[] ROWS = {"qwertyuiop", "asdfghjkl\b", "zxcvbnm,.\n", "          "};

    private static final Hidden ATTRIBUTES = new Hidden(ViewRootImpl.class, "mWindowAttributes");

    private final JvmBackend device;
    /** The root of the window that it types into; null while it is not shown. */
    private View window;
    /** Somebody asked for it, or insisted: then who only wants a keyboard gone that came by itself does not get his way. */
    private boolean asked;
    private boolean forced;
    /** It was shown when its window went, and comes back with the next if there is something to type into. */
    private boolean returns;

    Keyboard(JvmBackend device) {
        this.device = device;
    }

    boolean isShown() {
        return window != null;
    }

    Rect bounds() {
        return new Rect(0, device.height() - Math.min(HEIGHT, device.height() / 2), device.width(), device.height());
    }

    boolean covers(float x, float y) {
        return isShown() && bounds().contains((int) x, (int) y);
    }

    void forget() {
        window = null;
        returns = false;
    }

    /** The window that is shown now is about to go, but not for good. */
    void keepForLater() {
        returns = isShown();
    }

    /** An app asks. Only who has the focus is heard. */
    boolean show(View view, int flags, ResultReceiver receiver) {
        if (view == null || !view.isFocused() || view.getRootView() != device.windows.focused()) {
            return false;
        }
        answer(receiver, isShown() ? InputMethodManager.RESULT_UNCHANGED_SHOWN : InputMethodManager.RESULT_SHOWN);
        asked |= (flags & InputMethodManager.SHOW_IMPLICIT) == 0;
        forced |= (flags & InputMethodManager.SHOW_FORCED) != 0;
        open(view.getRootView());
        return true;
    }

    boolean hide(IBinder token, int flags, ResultReceiver receiver) {
        View focused = device.windows.focused();
        if (focused == null || focused.getWindowToken() != token) {
            return false;
        }
        boolean stays = (flags & InputMethodManager.HIDE_IMPLICIT_ONLY) != 0 && (asked || forced)
                || (flags & InputMethodManager.HIDE_NOT_ALWAYS) != 0 && forced;
        if (!isShown() || stays) {
            answer(receiver, isShown() ? InputMethodManager.RESULT_UNCHANGED_SHOWN : InputMethodManager.RESULT_UNCHANGED_HIDDEN);
            return !stays;
        }
        answer(receiver, InputMethodManager.RESULT_HIDDEN);
        close();
        return true;
    }

    void toggle(int showFlags, int hideFlags) {
        View focused = device.windows.focused();
        if (focused == null) {
            return;
        }
        if (isShown()) {
            hide(focused.getWindowToken(), hideFlags, null);
        } else {
            show(focused.findFocus(), showFlags, null);
        }
    }

    /** The user closes it: BACK, before any window hears of it. */
    void close() {
        View before = window;
        window = null;
        asked = false;
        forced = false;
        makeRoom(before, false);
    }

    private void open(View root) {
        if (window != root) {
            View before = window;
            window = root;
            makeRoom(before, false);
            makeRoom(root, true);
        }
    }

    /** A window gets the focus, or none has it: what the window says about the keyboard holds from now on. */
    void focusMoves(View root, LayoutParams attributes) {
        if (root == null || attributes == null) {
            closeIfShown();
            return;
        }
        View focus = root.findFocus();
        boolean editor = focus != null && focus.onCheckIsTextEditor();
        boolean forward = (attributes.softInputMode & LayoutParams.SOFT_INPUT_IS_FORWARD_NAVIGATION) != 0;
        boolean resized = (attributes.softInputMode & LayoutParams.SOFT_INPUT_MASK_ADJUST) == LayoutParams.SOFT_INPUT_ADJUST_RESIZE;
        boolean mayShow = editor || device.manifest.targetSdk() < Build.VERSION_CODES.P;
        boolean wasShown = returns;
        returns = false;
        if (editor && wasShown) {
            open(root);
            return;
        }
        int state = attributes.softInputMode & LayoutParams.SOFT_INPUT_MASK_STATE;
        boolean unsaid = state == LayoutParams.SOFT_INPUT_STATE_UNSPECIFIED;
        boolean comes = forward && (unsaid && editor && resized || state == LayoutParams.SOFT_INPUT_STATE_VISIBLE && mayShow)
                || state == LayoutParams.SOFT_INPUT_STATE_ALWAYS_VISIBLE && mayShow;
        boolean goes = unsaid && !(editor && resized) && LayoutParams.mayUseInputMethod(attributes.flags)
                || forward && state == LayoutParams.SOFT_INPUT_STATE_HIDDEN || state == LayoutParams.SOFT_INPUT_STATE_ALWAYS_HIDDEN;
        if (goes) {
            closeIfShown();
        } else if (comes || isShown()) {
            open(root);
        }
    }

    private void closeIfShown() {
        if (isShown()) {
            close();
        }
    }

    /** A finger on a key types its letter into the window, which gets it as it gets any key. */
    int keyAt(float x, float y) {
        Rect bounds = bounds();
        String row = ROWS[Math.min(ROWS.length - 1, (int) ((y - bounds.top) * ROWS.length / bounds.height()))];
        char letter = row.charAt(Math.min(row.length() - 1, (int) (x * row.length() / bounds.width())));
        switch (letter) {
            case '\b':
                return KeyEvent.KEYCODE_DEL;
            case '\n':
                return KeyEvent.KEYCODE_ENTER;
            case ' ':
                return KeyEvent.KEYCODE_SPACE;
            case ',':
                return KeyEvent.KEYCODE_COMMA;
            case '.':
                return KeyEvent.KEYCODE_PERIOD;
            default:
                return KeyEvent.KEYCODE_A + letter - 'a';
        }
    }

    /** An activity is navigated to for the first time, which the framework notes before it adds the window. */
    static void navigateForward(Activity activity) {
        LayoutParams attributes = activity.getWindow() == null ? null : activity.getWindow().getAttributes();
        if (attributes != null) {
            attributes.softInputMode |= LayoutParams.SOFT_INPUT_IS_FORWARD_NAVIGATION;
        }
    }

    /** A window that is not as tall as the screen, as a dialog is, moves out of the keyboard's way. */
    static void moveAway(LayoutParams attributes, Rect frame) {
        Keyboard keyboard = JvmBackend.get().keyboard;
        if (keyboard.isShown() && attributes.height != LayoutParams.MATCH_PARENT) {
            LayoutParams own = attributes(keyboard.window);
            if (own != null && own.token == attributes.token && own.type == attributes.type) {
                frame.bottom = Math.min(frame.bottom, keyboard.bounds().top);
            }
        }
    }

    static LayoutParams attributes(View root) {
        ViewRootImpl window = root == null ? null : root.getViewRootImpl();
        return window == null ? null : ATTRIBUTES.of(window);
    }

    /** The window hears of the keyboard as of any inset, and resizes or scrolls its content as it was told to. */
    private void makeRoom(View root, boolean shown) {
        ViewRootImpl target = root == null || !root.isAttachedToWindow() ? null : root.getViewRootImpl();
        if (target == null) {
            return;
        }
        Object session = ReflectionHelpers.getStaticField(ShadowWindowManagerGlobal.class, "windowSessionDelegate");
        Map<?, ?> windows = ReflectionHelpers.getField(session, "windows");
        Object info = windows.get(ReflectionHelpers.getField(target, "mWindow"));
        if (info == null) {
            return;
        }
        InsetsState state = ReflectionHelpers.getField(info, "insetsState");
        if (shown) {
            state.getOrCreateSource(InsetsSource.ID_IME, WindowInsets.Type.ime()).setFrame(bounds()).setVisible(true);
        } else {
            state.removeSource(InsetsSource.ID_IME);
        }
        // It asks for its place anew, with the size that it wants to have; a message that it was resized would not ask.
        ReflectionHelpers.setField(target, "mForceNextWindowRelayout", true);
        target.requestLayout();
    }

    private static void answer(ResultReceiver receiver, int code) {
        if (receiver != null) {
            receiver.send(code, new Bundle());
        }
    }
}
