package siamang.agent.device;

import android.content.ClipData;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import siamang.agent.core.AgentException;
import siamang.agent.core.Fingers;
import siamang.agent.core.Log;
import siamang.agent.core.Touch;

/** Turns samples into motion and key events. */
final class DeviceFingers implements Fingers {
    private static final int KEYCODE_PASTE = 279;
    /** The app reads the clipboard on its own time after the key. */
    private static final long PASTE_MS = 100;

    private final InputService input;
    private final ClipboardService clipboard;
    private final long longPressMs;

    /** {@code clipboard} is null where the device has none. */
    DeviceFingers(InputService input, ClipboardService clipboard, long longPressMs) {
        this.longPressMs = longPressMs;
        this.input = input;
        this.clipboard = clipboard;
    }

    @Override
    public void touch(Touch touch, long downTime) throws AgentException {
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
        MotionEvent event = MotionEvent.obtain(downTime, SystemClock.uptimeMillis(), action, fingers, properties, coords, 0, 0, 1, 1, 0, 0,
                InputDevice.SOURCE_TOUCHSCREEN, 0);
        try {
            input.inject(event, touch.action == Touch.DOWN);
        } finally {
            event.recycle();
        }
    }

    @Override
    public void key(boolean down, int code, int meta, long downTime) throws AgentException {
        int action = down ? KeyEvent.ACTION_DOWN : KeyEvent.ACTION_UP;
        input.inject(new KeyEvent(downTime, SystemClock.uptimeMillis(), action, code, 0, meta, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, 0,
                InputDevice.SOURCE_KEYBOARD), down);
    }

    @Override
    public boolean type(String text) throws AgentException {
        KeyEvent[] events = KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD).getEvents(text.toCharArray());
        if (events == null) {
            return false;
        }
        for (KeyEvent event : events) {
            // The map's events carry the time they were made; an old one is dropped as stale.
            long now = SystemClock.uptimeMillis();
            input.inject(new KeyEvent(now, now, event.getAction(), event.getKeyCode(), event.getRepeatCount(), event.getMetaState(),
                    event.getDeviceId(), event.getScanCode(), event.getFlags(), InputDevice.SOURCE_KEYBOARD), event == events[0]);
        }
        return true;
    }

    @Override
    public boolean paste(String text) throws AgentException, InterruptedException {
        if (clipboard == null) {
            return false;
        }
        ClipData before;
        try {
            before = clipboard.get();
            clipboard.set(ClipData.newPlainText("", text));
        } catch (AgentException e) {
            // Makers change the clipboard more than anything; a text that cannot be pasted is no reason to end the step.
            Log.note("no pasting: " + e.getMessage() + " " + e.detail());
            return false;
        }
        try {
            long now = SystemClock.uptimeMillis();
            key(true, KEYCODE_PASTE, 0, now);
            key(false, KEYCODE_PASTE, 0, now);
            Thread.sleep(PASTE_MS);
        } finally {
            // Where the system hides the old content from us there is nothing to put back, only our text to take away.
            clipboard.set(before == null ? ClipData.newPlainText("", "") : before);
        }
        return true;
    }

    @Override
    public long longPressMs() {
        return longPressMs;
    }
}
