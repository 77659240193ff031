package siamang.agent.core;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.Test;

/** With -Dgolden.write=true the first test writes the files instead of comparing them. */
public class GoldenTest {
    private static final File DIR = new File(System.getProperty("agent.dir"), "golden");

    @Test
    public void the_files_are_what_the_protocol_page_says() throws Exception {
        Map<String, GoldenWriter> frames = GoldenFrames.all();
        if (Boolean.getBoolean("golden.write")) {
            for (Map.Entry<String, GoldenWriter> frame : frames.entrySet()) {
                Files.write(file(frame.getKey()).toPath(), frame.getValue().text().getBytes(StandardCharsets.UTF_8));
            }
        }
        TreeSet<String> expected = new TreeSet<String>();
        for (String name : frames.keySet()) {
            expected.add(name + ".hex");
        }
        assertEquals(expected, new TreeSet<String>(Arrays.asList(DIR.list())));
        for (Map.Entry<String, GoldenWriter> frame : frames.entrySet()) {
            assertEquals(frame.getKey(), frame.getValue().text(), text(frame.getKey()));
        }
    }

    @Test
    public void the_agent_speaks_the_golden_conversation_byte_by_byte() throws Exception {
        FakeBackend backend = FakeBackend.golden();
        try (Host host = new Host(backend, new GoldenRandom())) {
            emitEvents(backend.sink);
            Host.Line line = host.connect();
            for (String name : GoldenFrames.names()) {
                byte[] golden = parse(name);
                if (name.startsWith("event_hello")) {
                    if (name.endsWith("again")) {
                        line = host.connect();
                    }
                    assertEquals(0, line.in.read());
                }
                if (isFromAgent(name)) {
                    assertArrayEquals(name, golden, line.read().toBytes());
                } else {
                    line.out.write(golden);
                    line.out.flush();
                }
            }
            assertEquals(Ending.BYE, host.ending());
        }
        assertTrue(backend.log.toString(), backend.log.contains("configure 12 com.example.notes 50 100 2000"));
        assertTrue(backend.log.toString(), backend.log.contains("settle 50 80 2000"));
        assertTrue(backend.log.toString(), backend.log.contains("clear com.example.notes"));
        assertTrue(backend.log.toString(), backend.log.contains("start com.example.notes .Main"));
        assertTrue(backend.log.toString(), backend.log.contains("grant com.example.notes android.permission.CAMERA"));
        assertEquals("close", backend.log.get(backend.log.size() - 1));
    }

    private static void emitEvents(EventSink sink) {
        String pkg = "com.example.notes";
        sink.crash(new EventSink.CrashReport(pkg, 4321, false, "java.lang.ArithmeticException", "java.lang.ArithmeticException: divide by zero",
                "java.lang.ArithmeticException: divide by zero\n\tat com.example.notes.Main.onClick(Main.java:7)\n", Wire.SOURCE_CONTROLLER, 1700000000123L));
        sink.anr(pkg, 4321, "Input dispatching timed out", Wire.SOURCE_CONTROLLER);
        sink.exit(pkg, 4321, "System.exit");
        sink.activity(true, pkg, "com.example.notes.Main");
        sink.toast(pkg, "Saved");
        sink.externalIntent("android.intent.action.VIEW", "https://example.com/", null);
        sink.windowsChanged();
        sink.windowsChanged();
        sink.windowsChanged();
        sink.warn("clipboard", "no clipboard service");
    }

    private static boolean isFromAgent(String name) {
        return name.startsWith("event_") || name.endsWith("_ok") || name.endsWith("_error");
    }

    static byte[] parse(String name) throws Exception {
        ByteWriter out = new ByteWriter();
        for (String line : text(name).split("\n")) {
            String hex = line.replaceAll("#.*", "").trim();
            for (String pair : hex.isEmpty() ? new String[0] : hex.split(" +")) {
                out.u8(Integer.parseInt(pair, 16));
            }
        }
        return out.toBytes();
    }

    private static String text(String name) throws Exception {
        return new String(Files.readAllBytes(file(name).toPath()), StandardCharsets.UTF_8);
    }

    private static File file(String name) {
        return new File(DIR, name + ".hex");
    }

    /** The session id first, then a nonce for each connection. */
    private static final class GoldenRandom extends Random {
        private int given;

        @Override
        public long nextLong() {
            return GoldenFrames.SESSION;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            byte[] nonce = given++ == 0 ? GoldenFrames.NONCE : GoldenFrames.NONCE_2;
            System.arraycopy(nonce, 0, bytes, 0, bytes.length);
        }
    }
}
