package siamang.agent.jvm;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import siamang.agent.core.AgentException;
import siamang.agent.core.Backend;
import siamang.agent.core.Ending;
import siamang.agent.core.Handshake;
import siamang.agent.core.Server;
import siamang.agent.jvm.robo.Sandbox;

/**
 * Serves one app over stdin and stdout: {@code Main PREPARED_FOLDER DATA_FOLDER [FOLDER_OF_ADDED_JARS [warm]]}. The token is
 * the first line of stdin; "listening -" on stdout says that the protocol follows.
 */
public final class Main {
    private static final int START_FAILED = 2;
    private static final String BUILD = "jvm-1";

    private Main() {
    }

    public static void main(String[] args) throws Exception {
        InputStream in = new FileInputStream(FileDescriptor.in);
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        // The streams are the protocol's from here on; what the app prints must not reach the host.
        System.setIn(InputStream.nullInputStream());
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        int code = START_FAILED;
        try {
            code = serve(args, in, out);
        } finally {
            // Also when an app has eaten the memory or the threads that an orderly end needs.
            Runtime.getRuntime().halt(code);
        }
    }

    private static int serve(String[] args, InputStream in, OutputStream out) throws Exception {
        PrintStream notes = System.err;
        try {
            if (args.length < 2) {
                throw new AgentException(AgentException.MALFORMED, "usage: Main PREPARED_FOLDER DATA_FOLDER [ADDED_JARS], token on stdin");
            }
            Backend backend = Sandbox.build().install(Path.of(args[0]), jars(args), Path.of(args[1]), args.length > 3 && args[3].equals("warm"));
            // Whoever has started this may take it into use much later, or never.
            byte[] token = Handshake.parseToken(line(in));
            Server server = new Server(backend, new RealClock(), token, BUILD);
            backend.open(server.events());
            out.write("listening -\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            System.setErr(new PrintStream(new Bounded(notes), true));
            Ending ending = server.serve(new StdioListener(in, out));
            return ending.exitCode;
        } catch (AgentException e) {
            fail(out, e.code(), e.getMessage());
        } catch (Exception | LinkageError e) {
            e.printStackTrace(notes);
            fail(out, AgentException.INTERNAL, String.valueOf(e));
        }
        return START_FAILED;
    }

    private static void fail(OutputStream out, int code, String message) throws java.io.IOException {
        out.write(("failed " + code + " " + message.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Byte by byte: a buffered reader would swallow what follows the line. */
    private static String line(InputStream in) throws java.io.IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n' && line.length() < 100; next = in.read()) {
            line.append((char) next);
        }
        return line.toString();
    }

    private static List<Path> jars(String[] args) {
        List<Path> jars = new ArrayList<>();
        File[] files = args.length > 2 ? new File(args[2]).listFiles((folder, name) -> name.endsWith(".jar")) : null;
        if (files != null) {
            java.util.Arrays.sort(files);
            for (File file : files) {
                jars.add(file.toPath());
            }
        }
        return jars;
    }
}
