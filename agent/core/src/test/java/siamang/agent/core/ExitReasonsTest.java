package siamang.agent.core;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import org.junit.Test;

public class ExitReasonsTest {
    private static final String HEAD = "ACTIVITY MANAGER PROCESS EXIT INFO (dumpsys activity exit-info)\n  package: com.example\n"
            + "    Historical Process Exit for uid=10155\n";

    private static String entry(int number, int pid, String process, String reason, int status) {
        return "        ApplicationExitInfo #" + number + ":\n          timestamp=2026-11-17 04:10:59.123 pid=" + pid
                + " realUid=10155 packageUid=10155 definingUid=10155 user=0\n          process=" + process + " reason=" + reason
                + " subreason=0 (UNKNOWN) status=" + status + "\n          importance=100 pss=0.00 rss=98MB description=status=9 reason=1"
                + " state=empty trace=null\n";
    }

    @Test
    public void a_process_that_ended_itself_is_told_with_its_status() {
        String text = HEAD + entry(0, 71, "com.example", "1 (EXIT_SELF)", 3) + entry(1, 70, "com.example", "4 (APP CRASH(EXCEPTION))", 0);
        assertEquals("exit(3)", ExitReasons.of(text, 71, "com.example"));
        assertEquals("by others", "", ExitReasons.of(text, 70, "com.example"));
    }

    @Test
    public void so_it_is_on_android_11_where_each_field_has_a_line() {
        String text = HEAD + "        ApplicationExitInfo #0:\n          timestamp=2026-11-17 04:10:59.123\n          pid=71\n          realUid=10155\n"
                + "          user=0\n          process=com.example\n          reason=1 (EXIT_SELF)\n          status=255\n          importance=100\n";
        assertEquals("exit(255)", ExitReasons.of(text, 71, "com.example"));
    }

    @Test
    public void what_is_not_known_yet_is_not_guessed() {
        assertNull(ExitReasons.of("", 71, "com.example"));
        assertNull("another process", ExitReasons.of(HEAD + entry(0, 71, "com.example:web", "1 (EXIT_SELF)", 3), 71, "com.example"));
        assertNull("an older one", ExitReasons.of(HEAD + entry(0, 70, "com.example", "1 (EXIT_SELF)", 3), 71, "com.example"));
        assertNull("it is just being found out", ExitReasons.of(HEAD + entry(0, 71, "com.example", "0 (UNKNOWN)", 0), 71, "com.example"));
    }

    @Test
    public void of_two_with_one_number_the_newer_counts() {
        String text = HEAD + entry(0, 71, "com.example", "10 (USER REQUESTED)", 0) + entry(1, 71, "com.example", "1 (EXIT_SELF)", 3);
        assertEquals("", ExitReasons.of(text, 71, "com.example"));
    }
}
