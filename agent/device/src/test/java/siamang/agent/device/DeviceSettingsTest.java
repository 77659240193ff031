package siamang.agent.device;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.File;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class DeviceSettingsTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Map<String, String> table = new TreeMap<String, String>();
    private boolean knowsDelete = true;
    private boolean isDeaf;
    private boolean isForbidden;

    private DeviceSettings settings() {
        return new DeviceSettings(new File(folder.getRoot(), "journal"), new DeviceSettings.Tool() {
            @Override
            public String run(String verb, String... arguments) throws IOException {
                String key = arguments[1];
                if (isForbidden && !verb.equals("get")) {
                    throw new IOException("settings ended with 255: no permission");
                }
                if (verb.equals("get")) {
                    return table.containsKey(key) ? table.get(key) : "null";
                }
                if (verb.equals("put") && !isDeaf) {
                    table.put(key, arguments[2]);
                } else if (verb.equals("delete") && knowsDelete) {
                    table.remove(key);
                }
                return "";
            }
        });
    }

    @Test
    public void everything_is_as_it_was_also_what_was_not_set() throws Exception {
        table.put("window_animation_scale", "0.5");
        DeviceSettings settings = settings();
        settings.animationsOff();
        settings.stayAwake();
        assertEquals("0", table.get("animator_duration_scale"));
        settings.restore();
        assertEquals("{window_animation_scale=0.5}", table.toString());
        assertFalse(new File(folder.getRoot(), "journal").exists());
    }

    @Test
    public void where_nothing_can_be_deleted_a_scale_is_what_it_is_without_being_set() throws Exception {
        knowsDelete = false;
        DeviceSettings settings = settings();
        settings.animationsOff();
        settings.restore();
        assertEquals("{animator_duration_scale=1.0, transition_animation_scale=1.0, window_animation_scale=1.0}", table.toString());
    }

    @Test
    public void what_the_system_does_not_take_is_told_and_stays_in_the_journal() throws Exception {
        table.put("stay_on_while_plugged_in", "0");
        DeviceSettings settings = settings();
        settings.stayAwake();
        isDeaf = true;
        try {
            settings.restore();
            fail("it is not as it was");
        } catch (IOException e) {
            assertEquals("global stay_on_while_plugged_in: it is 7 and was 0", e.getMessage());
        }
        isDeaf = false;
        assertEquals("the next agent finds it", 1, settings().recover());
        assertEquals("{stay_on_while_plugged_in=0}", table.toString());
        assertFalse(new File(folder.getRoot(), "journal").exists());
    }

    @Test
    public void what_may_not_be_changed_was_not_and_is_as_it_was() throws Exception {
        isForbidden = true;
        table.put("user_rotation", "0");
        DeviceSettings settings = settings();
        settings.noteRotation();
        try {
            settings.animationsOff();
            fail("it is forbidden");
        } catch (IOException e) {
            assertTrue(e.getMessage(), e.getMessage().contains("no permission"));
        }
        settings.restore();
        assertFalse(new File(folder.getRoot(), "journal").exists());
        settings = settings();
        settings.noteRotation();
        table.put("user_rotation", "3");
        try {
            settings.restore();
            fail("it is not as it was");
        } catch (IOException e) {
            assertEquals("system user_rotation: it is 3 and was 0: settings ended with 255: no permission", e.getMessage());
        }
    }

    @Test
    public void who_comes_after_the_end_changes_nothing() throws Exception {
        DeviceSettings settings = settings();
        settings.animationsOff();
        settings.restore();
        try {
            settings.stayAwake();
            fail("nobody would put it back");
        } catch (IOException e) {
            assertEquals("the agent ends", e.getMessage());
        }
        assertEquals("{}", table.toString());
    }

    @Test
    public void the_rotation_is_as_it_was_also_if_the_system_puts_back_another() throws Exception {
        table.put("accelerometer_rotation", "0");
        table.put("user_rotation", "0");
        DeviceSettings settings = settings();
        settings.noteRotation();
        table.put("accelerometer_rotation", "1");
        table.put("user_rotation", "3");
        settings.restore();
        assertEquals("{accelerometer_rotation=0, user_rotation=0}", table.toString());
    }

    @Test
    public void what_a_program_complains_of_is_not_what_it_prints() throws Exception {
        assertEquals("1.0", Exec.run("sh", "-c", "echo WARNING: linker >&2; echo 1.0"));
        try {
            Exec.run("sh", "-c", "echo no >&2; exit 3");
            fail("it failed");
        } catch (IOException e) {
            assertTrue(e.getMessage(), e.getMessage().endsWith("ended with 3: no"));
        }
        byte[] much = Exec.bytes(1 << 20, "sh", "-c", "head -c 300000 /dev/zero >&2; printf abc");
        assertEquals(3, much.length);
    }
}
