package siamang.agent.core;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class CrashLogTest {
    private static final String JAVA =
            "11-16 10:00:00.100  4321  4321 E AndroidRuntime: FATAL EXCEPTION: main\n"
            + "11-16 10:00:00.100  4321  4321 E AndroidRuntime: Process: com.example.notes, PID: 4321\n"
            + "11-16 10:00:00.100  4321  4321 E AndroidRuntime: java.lang.IllegalStateException: no: really\n"
            + "11-16 10:00:00.100  4321  4321 E AndroidRuntime: \tat com.example.notes.Main.onClick(Main.java:7)\n"
            + "11-16 10:00:00.100  4321  4321 E AndroidRuntime: Caused by: java.lang.NullPointerException\n"
            + "11-16 10:00:00.100  4321  4321 E AndroidRuntime: \t... 3 more\n";
    private static final String NATIVE =
            "11-16 10:00:01.000   999   999 F DEBUG   : *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\n"
            + "11-16 10:00:01.000   999   999 F DEBUG   : Build fingerprint: 'x'\n"
            + "11-16 10:00:01.000   999   999 F DEBUG   : pid: 5555, tid: 5556, name: Render  >>> com.example.game <<<\n"
            + "11-16 10:00:01.000   999   999 F DEBUG   : signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\n"
            + "11-16 10:00:01.000   999   999 F DEBUG   :       #00 pc 0001  /lib/libgame.so (draw+4)\n";

    private final Sink sink = new Sink();
    private final CrashLog log = new CrashLog(sink);

    @Test
    public void a_java_crash_is_one_report() {
        feed("--------- beginning of crash\n" + JAVA);
        assertEquals(0, sink.crashes.size());
        log.flush();
        log.flush();
        assertEquals(1, sink.crashes.size());
        EventSink.CrashReport crash = sink.crashes.get(0);
        assertEquals("com.example.notes", crash.process);
        assertEquals(4321, crash.pid);
        assertFalse(crash.isNative);
        assertEquals("java.lang.IllegalStateException", crash.shortText);
        assertEquals("java.lang.IllegalStateException: no: really", crash.longText);
        assertEquals("java.lang.IllegalStateException: no: really\n\tat com.example.notes.Main.onClick(Main.java:7)\n"
                + "Caused by: java.lang.NullPointerException\n\t... 3 more\n", crash.stack);
        assertEquals(Wire.SOURCE_LOGCAT, crash.source);
        assertEquals(77, crash.wallMs);
    }

    @Test
    public void a_native_crash_names_the_process_that_died_and_not_the_one_that_reports() {
        feed(NATIVE);
        log.flush();
        EventSink.CrashReport crash = sink.crashes.get(0);
        assertEquals("com.example.game", crash.process);
        assertEquals(5555, crash.pid);
        assertTrue(crash.isNative);
        assertEquals("Native crash", crash.shortText);
        assertEquals("signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0", crash.longText);
        assertTrue(crash.stack, crash.stack.contains("#00 pc 0001"));
    }

    @Test
    public void two_crashes_in_a_row_are_two() {
        feed(JAVA + JAVA.replace("4321", "4400") + NATIVE);
        assertEquals(2, sink.crashes.size());
        log.flush();
        assertEquals(3, sink.crashes.size());
        assertEquals(4400, sink.crashes.get(1).pid);
    }

    @Test
    public void the_end_of_an_older_crash_is_no_crash() {
        feed(JAVA.substring(JAVA.indexOf("\n") + 1));
        log.flush();
        assertEquals(0, sink.crashes.size());
    }

    @Test
    public void what_an_app_writes_to_deceive_does_not_break_the_reader() {
        feed("garbage\n\n" + "11-16 10:00:00.100  4321  4321 E AndroidRuntime: FATAL EXCEPTION: main\n"
                + "11-16 10:00:00.100  4321  4321 E AndroidRuntime: Process: x, PID: 99999999999999999999\n"
                + "11-16 10:00:00.100  4321  4321 E AndroidRuntime: boom\n");
        StringBuilder flood = new StringBuilder();
        for (int i = 0; i < 5000; i++) {
            flood.append("11-16 10:00:00.100  4321  4321 E AndroidRuntime: \tat a very long line of a stack that does not end ").append(i).append('\n');
        }
        feed(flood.toString());
        log.flush();
        assertEquals(0, sink.crashes.get(0).pid);
        assertTrue(sink.crashes.get(0).stack.length() < Wire.MAX_STRING_BYTES);
    }

    private void feed(String text) {
        for (String line : text.split("\n")) {
            log.line(line, 77);
        }
    }

    private static final class Sink implements EventSink {
        final List<CrashReport> crashes = new ArrayList<CrashReport>();

        @Override
        public void crash(CrashReport report) {
            crashes.add(report);
        }

        @Override
        public void anr(String process, int pid, String reason, int source) {
            throw new AssertionError();
        }

        @Override
        public void exit(String process, int pid, String reason) {
            throw new AssertionError();
        }

        @Override
        public void activity(boolean resuming, String pkg, String component) {
            throw new AssertionError();
        }

        @Override
        public void toast(String pkg, String text) {
            throw new AssertionError();
        }

        @Override
        public void externalIntent(String action, String data, String component) {
            throw new AssertionError();
        }

        @Override
        public void windowsChanged() {
            throw new AssertionError();
        }

        @Override
        public void warn(String what, String why) {
            throw new AssertionError();
        }
    }
}
