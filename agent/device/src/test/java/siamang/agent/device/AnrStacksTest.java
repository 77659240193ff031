package siamang.agent.device;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import siamang.agent.core.AnrTraces;

public class AnrStacksTest {
    private static final String TRACES = "----- pid 7 at 2026-11-17 04:10:59 -----\nCmd line: com.example\n\"main\" prio=5\n  at com.example.A.a(A.java:1)\n\n";

    private final List<String> asked = new ArrayList<String>();
    private TimeZone zone;
    /** What the program whose line begins so prints. */
    private String answers = "dumpsys dropbox --print data_app_anr 2026-11-17 04:10";

    private final AnrStacks stacks = new AnrStacks() {
        @Override
        long now() {
            return 1_794_888_660_000L + asked.size();
        }

        @Override
        void print(AnrTraces to, long end, String... command) {
            String line = String.join(" ", command);
            asked.add(line);
            if (line.startsWith(answers)) {
                for (String one : TRACES.split("\n")) {
                    to.line(one);
                }
            }
        }
    };

    @Before
    public void here() {
        zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    }

    @After
    public void back() {
        TimeZone.setDefault(zone);
    }

    @Test
    public void only_the_minute_of_the_hang_is_read_also_when_the_clock_has_just_struck() {
        assertTrue(stacks.of(7, "com.example").contains("A.a(A.java:1)"));
        assertEquals("dumpsys dropbox --print data_app_anr 2026-11-17 04:11", asked.get(0));
        for (String line : asked) {
            assertTrue(line, line.contains("04:11") || line.contains("04:10") || line.endsWith("lastanr-traces"));
        }
    }

    @Test
    public void a_drop_box_that_takes_no_more_is_no_reason_to_have_no_stack() {
        answers = "dumpsys activity lastanr-traces";
        assertTrue(stacks.of(7, "com.example").contains("A.a(A.java:1)"));
        assertEquals("asked once", 1, count(answers));
    }

    @Test
    public void the_last_anr_of_another_process_is_not_taken() {
        answers = "dumpsys activity lastanr-traces";
        assertEquals("", stacks.of(8, "com.example"));
    }

    private int count(String line) {
        int count = 0;
        for (String one : asked) {
            count += one.equals(line) ? 1 : 0;
        }
        return count;
    }
}
