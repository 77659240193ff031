package siamang.agent.device;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Runs a program of the system with an argument list. Never through a shell: nothing is ever quoted or parsed. */
final class Exec {
    private static final int MAX_OUTPUT = 64 * 1024;

    private Exec() {
    }

    /** Returns what it wrote; an exit code other than 0 is an error with what it wrote. */
    static String run(String... arguments) throws IOException {
        Process process = new ProcessBuilder(arguments).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            String output = read(process.getInputStream());
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException(arguments[0] + " ended with " + code + ": " + output);
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + arguments[0] + " ran");
        } finally {
            process.destroy();
        }
    }

    private static String read(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        int got;
        while ((got = in.read(buffer)) >= 0) {
            if (out.size() < MAX_OUTPUT) {
                out.write(buffer, 0, got);
            }
        }
        return out.toString("UTF-8").trim();
    }
}
