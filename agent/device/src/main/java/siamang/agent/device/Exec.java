package siamang.agent.device;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import siamang.agent.core.Log;

/** Runs a program of the system with an argument list. Never through a shell: nothing is ever quoted or parsed. */
final class Exec {
    private static final int MAX_OUTPUT = 64 * 1024;
    private static final long COMPLAINTS_MS = 200;

    private Exec() {
    }

    /** Returns what it printed; an exit code other than 0 is an error with what it complained of. */
    static String run(String... arguments) throws IOException {
        return new String(bytes(MAX_OUTPUT, arguments), StandardCharsets.UTF_8).trim();
    }

    /** The same, of a program that prints no text. Old phones like to warn while a program starts, so that is read apart. */
    static byte[] bytes(int most, String... arguments) throws IOException {
        Process process = new ProcessBuilder(arguments).start();
        try {
            process.getOutputStream().close();
            Complaints complaints = new Complaints(process.getErrorStream());
            complaints.start();
            byte[] output = read(process.getInputStream(), most);
            int code = process.waitFor();
            complaints.join(COMPLAINTS_MS);
            if (code != 0) {
                throw new IOException(arguments[0] + " ended with " + code + ": " + complaints.text() + new String(output, StandardCharsets.UTF_8).trim());
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + arguments[0] + " ran");
        } finally {
            process.destroy();
        }
    }

    private static byte[] read(InputStream in, int most) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        int got;
        while ((got = in.read(buffer)) >= 0) {
            if (out.size() < most) {
                out.write(buffer, 0, got);
            }
        }
        return out.toByteArray();
    }

    /** Reads standard error on a thread of its own, or a program that complains a lot would wait for ever. */
    private static final class Complaints extends Thread {
        private final InputStream from;
        private volatile byte[] said = new byte[0];

        Complaints(InputStream from) {
            super("siamang-complaints");
            this.from = from;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                said = read(from, MAX_OUTPUT);
            } catch (IOException e) {
                Log.note("reading complaints", e);
            }
        }

        String text() {
            return new String(said, StandardCharsets.UTF_8).trim();
        }
    }
}
