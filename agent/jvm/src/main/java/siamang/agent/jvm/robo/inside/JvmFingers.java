package siamang.agent.jvm.robo.inside;

import android.os.SystemClock;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.InputEventReceiver;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.View;
import android.view.ViewConfiguration;
import android.view.ViewRootImpl;
import android.view.WindowManager;
import java.util.List;
import siamang.agent.core.AgentException;
import siamang.agent.core.Fingers;
import siamang.agent.core.Touch;
import siamang.agent.jvm.robo.shared.HiddenMethod;

/** Sends samples to the window under the finger, as the input dispatcher of a phone does, and keys to the focused one. */
final class JvmFingers implements Fingers {
    private static final HiddenMethod ENQUEUE =
            new HiddenMethod(ViewRootImpl.class, "enqueueInputEvent", InputEvent.class, InputEventReceiver.class, int.class, boolean.class);

    private final JvmBackend device;
    /** The window in which the gesture began gets the rest of it. */
    private View held;
    /** It began on the keyboard, and no window gets any of it. */
    private boolean typing;
    /** It began while the user was asked something, which nobody can do anything before. */
    private boolean answering;

    JvmFingers(JvmBackend device) {
        this.device = device;
    }

    @Override
    public void touch(Touch touch, long downTime) throws AgentException {
        device.main.act(() -> {
            if (touch.action == Touch.DOWN) {
                answering = device.question.isShown();
                typing = !answering && device.keyboard.covers(touch.xs[0], touch.ys[0]);
                held = answering || typing ? null : target(touch.xs[0], touch.ys[0]);
            }
            if (answering && touch.action == Touch.UP && device.question.isShown()) {
                device.question.touched(touch.xs[0], touch.ys[0]);
            }
            if (typing && touch.action == Touch.UP && device.keyboard.covers(touch.xs[0], touch.ys[0])) {
                type(device.keyboard.keyAt(touch.xs[0], touch.ys[0]));
            }
            View root = held;
            if (touch.action == Touch.UP || touch.action == Touch.CANCEL) {
                held = null;
            }
            if (root != null && root.isAttachedToWindow()) {
                send(root, motion(touch, device.toUptime(downTime)));
            }
        });
    }

    private View target(float x, float y) {
        List<Windows.Pane> panes = device.windows.panes();
        for (int i = panes.size() - 1; i >= 0; i--) {
            Windows.Pane pane = panes.get(i);
            if (pane.has(WindowManager.LayoutParams.FLAG_NOT_TOUCHABLE)) {
                continue;
            }
            if (pane.contains(x, y) || pane.isModal()) {
                return pane.root;
            }
            if (pane.has(WindowManager.LayoutParams.FLAG_WATCH_OUTSIDE_TOUCH)) {
                long now = SystemClock.uptimeMillis();
                MotionEvent outside = MotionEvent.obtain(now, now, MotionEvent.ACTION_OUTSIDE, x, y, 0);
                outside.setSource(InputDevice.SOURCE_TOUCHSCREEN);
                send(pane.root, outside);
            }
        }
        return null;
    }

    private static MotionEvent motion(Touch touch, long downTime) {
        int fingers = touch.xs.length;
        MotionEvent.PointerProperties[] properties = new MotionEvent.PointerProperties[fingers];
        MotionEvent.PointerCoords[] coords = new MotionEvent.PointerCoords[fingers];
        for (int i = 0; i < fingers; i++) {
            properties[i] = new MotionEvent.PointerProperties();
            properties[i].id = i;
            properties[i].toolType = MotionEvent.TOOL_TYPE_FINGER;
            coords[i] = new MotionEvent.PointerCoords();
            coords[i].x = touch.xs[i];
            coords[i].y = touch.ys[i];
            coords[i].pressure = touch.action == Touch.UP ? 0 : 1;
            coords[i].size = 1;
        }
        int action = touch.action | touch.index << MotionEvent.ACTION_POINTER_INDEX_SHIFT;
        return MotionEvent.obtain(downTime, SystemClock.uptimeMillis(), action, fingers, properties, coords, 0, 0, 1, 1, 0, 0,
                InputDevice.SOURCE_TOUCHSCREEN, 0);
    }

    @Override
    public void key(boolean down, int code, int meta, long downTime) throws AgentException {
        device.main.act(() -> {
            if (code == KeyEvent.KEYCODE_HOME || code == KeyEvent.KEYCODE_APP_SWITCH) {
                if (!down) {
                    TaskStack.get().leaveLater();
                }
                return;
            }
            if (code == KeyEvent.KEYCODE_BACK && !down && device.question.isShown()) {
                device.question.dismiss();
                return;
            }
            Windows.Pane pane = device.windows.focusable();
            if (pane != null) {
                KeyEvent event = new KeyEvent(device.toUptime(downTime), SystemClock.uptimeMillis(), down ? KeyEvent.ACTION_DOWN : KeyEvent.ACTION_UP, code, 0, meta,
                        KeyCharacterMap.VIRTUAL_KEYBOARD, 0, KeyEvent.FLAG_FROM_SYSTEM, InputDevice.SOURCE_KEYBOARD);
                if (code == KeyEvent.KEYCODE_BACK && device.keyboard.isShown()) {
                    closeKeyboard(pane.root, event);
                } else {
                    send(pane.root, event);
                }
            }
            if (down) {
                device.loop.run(0);
            }
        });
    }

    /** The keyboard takes BACK for itself, unless the window wants to see keys before any keyboard does. */
    private void closeKeyboard(View root, KeyEvent event) {
        boolean taken = root.dispatchKeyEventPreIme(event);
        if (!taken && event.getAction() == KeyEvent.ACTION_UP) {
            device.keyboard.close();
        }
    }

    private void type(int code) {
        Windows.Pane pane = device.windows.focusable();
        if (pane == null) {
            return;
        }
        long now = SystemClock.uptimeMillis();
        for (int action : new int[] {KeyEvent.ACTION_DOWN, KeyEvent.ACTION_UP}) {
            send(pane.root, new KeyEvent(now, now, action, code, 0, 0, KeyCharacterMap.VIRTUAL_KEYBOARD, 0,
                    KeyEvent.FLAG_SOFT_KEYBOARD | KeyEvent.FLAG_KEEP_TOUCH_MODE, InputDevice.SOURCE_KEYBOARD));
        }
    }

    @Override
    public boolean type(String text) throws AgentException {
        boolean[] typed = new boolean[1];
        device.main.act(() -> {
            KeyEvent[] events = KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD).getEvents(text.toCharArray());
            Windows.Pane pane = device.windows.focusable();
            if (events == null || pane == null) {
                return;
            }
            for (KeyEvent event : events) {
                send(pane.root, KeyEvent.changeTimeRepeat(event, SystemClock.uptimeMillis(), 0));
            }
            typed[0] = true;
        });
        return typed[0];
    }

    /** The field takes text directly; there is nothing that only pasting could do. */
    @Override
    public boolean paste(String text) {
        return false;
    }

    @Override
    public long longPressMs() {
        return ViewConfiguration.getLongPressTimeout();
    }

    /** Through the window's input stages: they set touch mode, move the focus and give BACK to whoever asked for it. */
    private static void send(View root, InputEvent event) {
        if (event instanceof MotionEvent motion) {
            int[] at = new int[2];
            root.getLocationOnScreen(at);
            motion.offsetLocation(-at[0], -at[1]);
        }
        ViewRootImpl window = root.getViewRootImpl();
        ENQUEUE.call(window, event, null, 0, true);
    }
}
