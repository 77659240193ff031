package siamang.agent.device;

import java.io.File;
import java.io.IOException;
import siamang.agent.core.Log;
import siamang.agent.core.UndoJournal;

/** Settings of the device that a run changes, each noted in the journal first and put back at the end. */
final class DeviceSettings {
    private static final String GLOBAL = "global";
    private static final String SYSTEM = "system";
    private static final String[] ANIMATIONS = {"window_animation_scale", "transition_animation_scale", "animator_duration_scale"};
    private static final String SCALE = "_scale";
    private static final String[] ROTATION = {"accelerometer_rotation", "user_rotation"};
    private static final String STAY_ON = "stay_on_while_plugged_in";
    /** AC, USB and wireless. */
    private static final String ANY_PLUG = "7";

    private static final long DEFAULT_LONG_PRESS_MS = 500;

    private final UndoJournal journal;
    private final Tool tool;
    /** A worker that was given up may still be at it when the agent ends; what it changes then nobody would put back. */
    private boolean closed;

    /** The program {@code settings}, which old systems let fail without an exit code. */
    interface Tool {
        String run(String verb, String... arguments) throws IOException;
    }

    DeviceSettings(File file) {
        this(file, new Tool() {
            @Override
            public String run(String verb, String... arguments) throws IOException {
                String[] all = new String[arguments.length + 2];
                all[0] = "settings";
                all[1] = verb;
                System.arraycopy(arguments, 0, all, 2, arguments.length);
                return Exec.run(all);
            }
        });
    }

    DeviceSettings(File file, Tool tool) {
        this.tool = tool;
        journal = new UndoJournal(file, new UndoJournal.Undoer() {
            @Override
            public void undo(UndoJournal.Entry entry) throws IOException {
                putBack(entry.kind, entry.key, entry.old);
            }
        });
    }

    /** Puts back what a killed agent left changed. */
    int recover() throws IOException {
        return journal.recover();
    }

    synchronized void animationsOff() throws IOException {
        for (String key : ANIMATIONS) {
            put(GLOBAL, key, "0");
        }
    }

    synchronized void stayAwake() throws IOException {
        put(GLOBAL, STAY_ON, ANY_PLUG);
    }

    /**
     * UiAutomation changes these when it turns the screen, and again when it is disconnected: it puts back what it takes for
     * the rotation of before, which on some phones is how an app had turned the screen, or that the screen turns freely.
     */
    synchronized void noteRotation() throws IOException {
        stayOpen();
        for (String key : ROTATION) {
            journal.note(SYSTEM, key, get(SYSTEM, key));
        }
    }

    /** The user can lengthen it, up to 1.5 s. */
    long longPressMs() {
        try {
            String value = get("secure", "long_press_timeout");
            return value == null ? DEFAULT_LONG_PRESS_MS : Math.max(100, Math.min(5_000, Long.parseLong(value)));
        } catch (IOException | NumberFormatException e) {
            Log.note("assuming a long press of " + DEFAULT_LONG_PRESS_MS + " ms", e);
        }
        return DEFAULT_LONG_PRESS_MS;
    }

    /** The last that is done. What could not be put back stays in the journal, and is told by the error. */
    synchronized void restore() throws IOException {
        closed = true;
        journal.undoAll();
    }

    private void stayOpen() throws IOException {
        if (closed) {
            throw new IOException("the agent ends");
        }
    }

    private void put(String table, String key, String value) throws IOException {
        stayOpen();
        journal.note(table, key, get(table, key));
        tool.run("put", table, key, value);
    }

    private String get(String table, String key) throws IOException {
        String value = tool.run("get", table, key);
        return value.equals("null") ? null : value;
    }

    /** Looked at afterwards: only then it is as it was. Where nothing may be changed, nothing was. */
    private void putBack(String table, String key, String old) throws IOException {
        String refusal = null;
        try {
            change(table, key, old);
        } catch (IOException e) {
            refusal = e.getMessage();
        }
        String now = get(table, key);
        if (!isSame(old, now) && !(old == null && isDefault(key, now))) {
            throw new IOException("it is " + shown(now) + " and was " + shown(old) + (refusal == null ? "" : ": " + refusal));
        }
    }

    private void change(String table, String key, String to) throws IOException {
        if (to != null) {
            tool.run("put", table, key, to);
            return;
        }
        tool.run("delete", table, key);
        if (get(table, key) != null && key.endsWith(SCALE)) {
            // Android 5 knows no delete; a scale that is not set is 1.
            tool.run("put", table, key, "1.0");
        }
    }

    private static boolean isDefault(String key, String value) {
        return key.endsWith(SCALE) && isSame("1.0", value);
    }

    private static String shown(String value) {
        return value == null ? "not set" : value;
    }

    /** Some systems write 1 where 1.0 was put. */
    private static boolean isSame(String one, String other) {
        if (one == null || other == null) {
            return one == other;
        }
        try {
            return one.equals(other) || Double.parseDouble(one) == Double.parseDouble(other);
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
