package siamang.agent.core;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class AnrTracesTest {
    private static final String HEAD = "Drop box contents: 3 entries\nSearching for: data_app_anr\n\n";

    @Test
    public void the_main_thread_of_the_process_that_hung_is_found() {
        String dump = HEAD + entry(4300, "com.example.other", "com.example.other.A.a(A.java:1)")
                + entry(4400, "com.example.notes", "com.example.notes.Store.find(Store.java:88)");
        assertEquals("----- pid 4400 at 2026-11-16 09:40:04 -----\nCmd line: com.example.notes\n\"main\" prio=5 tid=1 Blocked\n"
                + "  | group=\"main\"\n  at com.example.notes.Store.find(Store.java:88)\n", traces(4400, "com.example.notes", dump));
        assertTrue(traces(4300, "com.example.other", dump).contains("A.a(A.java:1)"));
        assertNull(traces(1500, "system_server", dump));
        assertNull("the number was used by another", traces(4400, "com.example.other", dump));
        assertNull("a part of a number is another process", traces(440, "com.example.notes", dump));
        assertNull(traces(4400, "com.example.notes", ""));
    }

    @Test
    public void of_two_entries_of_one_process_the_newest_counts_and_a_cut_one_is_kept() {
        String dump = entry(7, "com.example", "com.example.A.old(A.java:1)") + entry(7, "com.example", "com.example.A.fresh(A.java:2)");
        assertTrue(traces(7, "com.example", dump).contains("fresh"));
        String cut = dump.substring(0, dump.lastIndexOf("fresh") + 5);
        assertTrue(traces(7, "com.example", cut).endsWith("at com.example.A.fresh\n"));
        assertNull("no main thread, no stack", traces(7, "com.example", "====\n----- pid 7 at x -----\nCmd line: com.example\n"));
    }

    @Test
    public void a_stack_beyond_all_bounds_is_cut() {
        StringBuilder deep = new StringBuilder("com.example.A.a(A.java:1)");
        for (int i = 0; i < 10_000; i++) {
            deep.append("\n  at com.example.A.a(A.java:1)");
        }
        assertTrue(traces(7, "com.example", entry(7, "com.example", deep.toString())).length() < 61_000);
    }

    private static String traces(int pid, String process, String dump) {
        AnrTraces traces = new AnrTraces(pid, process);
        for (String line : dump.split("\n")) {
            traces.line(line);
        }
        return traces.traces();
    }

    private static String entry(int pid, String process, String frames) {
        return "========================================\n2026-11-16 09:40:05 data_app_anr (compressed text, 12345 bytes)\n"
                + "Process: " + process + "\nPID: " + pid + "\nSubject: Input dispatching timed out\n\n"
                + "----- pid " + pid + " at 2026-11-16 09:40:04 -----\nCmd line: " + process + "\nABI: 'arm64'\n\n"
                + "\"Signal Catcher\" daemon prio=10 tid=6 Runnable\n  at java.lang.X.y(X.java:1)\n\n"
                + "\"main\" prio=5 tid=1 Blocked\n  | group=\"main\"\n  at " + frames + "\n\n"
                + "\"pool\" prio=5 tid=12 Sleeping\n  at java.lang.Thread.sleep(Native method)\n\n----- end " + pid + " -----\n\n"
                + "----- pid 1500 at 2026-11-16 09:40:04 -----\nCmd line: system_server\n\n\"main\" prio=5 tid=1 Native\n  at a.b(C.java:1)\n";
    }
}
