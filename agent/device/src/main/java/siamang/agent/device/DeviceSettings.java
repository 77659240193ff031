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
    private static final String[] ROTATION = {"accelerometer_rotation", "user_rotation"};
    private static final String STAY_ON = "stay_on_while_plugged_in";
    /** AC, USB and wireless. */
    private static final String ANY_PLUG = "7";

    private static final long DEFAULT_LONG_PRESS_MS = 500;

    private final UndoJournal journal;

    DeviceSettings(File file) {
        journal = new UndoJournal(file, new UndoJournal.Undoer() {
            @Override
            public void undo(UndoJournal.Entry entry) throws IOException {
                if (entry.old == null) {
                    Exec.run("settings", "delete", entry.kind, entry.key);
                } else {
                    Exec.run("settings", "put", entry.kind, entry.key, entry.old);
                }
            }
        });
    }

    /** Puts back what a killed agent left changed. */
    int recover() throws IOException {
        return journal.recover();
    }

    void animationsOff() throws IOException {
        for (String key : ANIMATIONS) {
            put(GLOBAL, key, "0");
        }
    }

    void stayAwake() throws IOException {
        put(GLOBAL, STAY_ON, ANY_PLUG);
    }

    /** UiAutomation changes these when it freezes the rotation; a killed agent would leave them so. */
    void noteRotation() throws IOException {
        for (String key : ROTATION) {
            journal.note(SYSTEM, key, get(SYSTEM, key));
        }
    }

    /** The user can lengthen it, up to 1.5 s. */
    long longPressMs() {
        try {
            String value = get("secure", "long_press_timeout");
            return value == null ? DEFAULT_LONG_PRESS_MS : Math.max(100, Math.min(5_000, Long.parseLong(value)));
        } catch (IOException e) {
            Log.note("assuming a long press of " + DEFAULT_LONG_PRESS_MS + " ms", e);
        } catch (NumberFormatException e) {
            Log.note("assuming a long press of " + DEFAULT_LONG_PRESS_MS + " ms", e);
        }
        return DEFAULT_LONG_PRESS_MS;
    }

    void restore() {
        try {
            journal.undoAll();
        } catch (IOException e) {
            Log.note("some settings could not be put back and stay in the journal", e);
        }
    }

    private void put(String table, String key, String value) throws IOException {
        journal.note(table, key, get(table, key));
        Exec.run("settings", "put", table, key, value);
    }

    private static String get(String table, String key) throws IOException {
        String value = Exec.run("settings", "get", table, key);
        return value.equals("null") ? null : value;
    }
}
