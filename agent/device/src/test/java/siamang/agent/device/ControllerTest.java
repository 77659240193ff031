package siamang.agent.device;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import android.content.ComponentName;
import android.content.Intent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.Test;
import siamang.agent.core.EventSink;
import siamang.agent.core.Wire;

public class ControllerTest {
    private final List<String> seen = Collections.synchronizedList(new ArrayList<String>());
    private final CountDownLatch read = new CountDownLatch(1);
    private final AnrStacks stacks = new AnrStacks() {
        @Override
        String of(int pid, String process) {
            try {
                read.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return pid == 1 ? "----- pid 1 -----" : "";
        }
    };
    private final Controller controller = new Controller(new Sink(), stacks);

    @Test
    public void a_crash_is_reported_and_the_process_dies_without_a_dialog() {
        assertFalse(controller.appCrashed("com.example", 12, "java.lang.X", "java.lang.X: y", 99, "java.lang.X: y\n\tat z"));
        assertEquals(Collections.singletonList("crash com.example 12 false java.lang.X 1 99"), seen);
        assertFalse(controller.appCrashed("com.example", 12, "Native crash", "", 99, ""));
        assertEquals("crash com.example 12 true Native crash 1 99", seen.get(1));
    }

    @Test
    public void an_app_under_test_that_hangs_is_killed_and_others_are_left_alone() throws Exception {
        controller.target("com.example");
        assertEquals(-1, controller.appNotResponding("com.example", 1, "stuck"));
        assertEquals("the system does not wait for the stack", Collections.emptyList(), seen);
        read.countDown();
        stacks.await();
        assertEquals(-1, controller.appNotResponding("com.example:remote", 2, "stuck"));
        stacks.await();
        assertEquals(1, controller.appNotResponding("com.examples", 3, "stuck"));
        assertEquals(1, controller.appNotResponding(null, 4, "stuck"));
        assertEquals(Arrays.asList("anr com.example 1 stuck\n----- pid 1 -----", "anr com.example:remote 2 stuck", "anr com.examples 3 stuck",
                "anr null 4 stuck"), seen);
        assertEquals(0, controller.appEarlyNotResponding("com.example", 1, "slow"));
        assertEquals("the early sign is no ANR", 4, seen.size());
        assertEquals("never kill the system", 1, controller.systemNotResponding("watchdog"));
    }

    @Test
    public void an_activity_of_another_app_is_also_an_external_intent() {
        controller.target("com.example");
        Intent own = new Intent();
        own.setComponent(new ComponentName("com.example", "com.example.Main"));
        assertTrue(controller.activityStarting(own, "com.example"));
        Intent other = new Intent("android.intent.action.PICK");
        other.setComponent(new ComponentName("com.gallery", "com.gallery.Pick"));
        assertTrue(controller.activityStarting(other, "com.gallery"));
        assertTrue(controller.activityResuming("com.gallery"));
        assertTrue(controller.activityStarting(null, "com.gallery"));
        assertEquals(Arrays.asList("activity false com.example com.example.Main", "activity false com.gallery com.gallery.Pick",
                "external android.intent.action.PICK null com.gallery/com.gallery.Pick", "activity true com.gallery ", "activity false com.gallery "), seen);
    }

    private final class Sink implements EventSink {
        @Override
        public void crash(CrashReport report) {
            assertEquals(Wire.SOURCE_CONTROLLER, report.source);
            seen.add("crash " + report.process + " " + report.pid + " " + report.isNative + " " + report.shortText + " " + report.source + " " + report.wallMs);
        }

        @Override
        public void anr(String process, int pid, String reason, int source) {
            seen.add("anr " + process + " " + pid + " " + reason);
        }

        @Override
        public void exit(String process, int pid, String reason) {
            seen.add("exit " + process);
        }

        @Override
        public void activity(boolean resuming, String pkg, String component) {
            seen.add("activity " + resuming + " " + pkg + " " + component);
        }

        @Override
        public void toast(String pkg, String text) {
            seen.add("toast " + text);
        }

        @Override
        public void externalIntent(String action, String data, String component) {
            seen.add("external " + action + " " + data + " " + component);
        }

        @Override
        public void windowsChanged() {
            seen.add("windows");
        }

        @Override
        public void warn(String what, String why) {
            seen.add("warn " + what);
        }
    }
}
