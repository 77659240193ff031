package siamang.agent.device;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import siamang.agent.core.AnrTraces;
import siamang.agent.core.Log;

/**
 * The stacks of a process that does not respond. The system takes them before it tells the activity controller, and puts
 * them into its drop box on a thread of its own; the shell may read them there.
 */
class AnrStacks {
    /** The entry is written while the controller is told. */
    private static final long PATIENCE_MS = 2_000;
    private static final long PAUSE_MS = 100;
    private static final String[] TAGS = {"data_app_anr", "system_app_anr"};

    /** The stack of its main thread in the system's own words, or an empty string. */
    String of(int pid, String name) {
        long end = System.nanoTime() + PATIENCE_MS * 1_000_000;
        try {
            do {
                for (String tag : TAGS) {
                    String traces = read(tag, pid, name, end);
                    if (traces != null) {
                        return traces;
                    }
                }
                Thread.sleep(PAUSE_MS);
            } while (System.nanoTime() < end);
        } catch (IOException e) {
            Log.note("no stacks of the process that hangs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "";
    }

    private static String read(String tag, int pid, String name, long end) throws IOException {
        Process process = new ProcessBuilder("dumpsys", "dropbox", "--print", tag).redirectErrorStream(true).start();
        Thread deadline = deadline(process, end);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            process.getOutputStream().close();
            AnrTraces traces = new AnrTraces(pid, name);
            String line;
            while ((line = in.readLine()) != null) {
                traces.line(line);
            }
            return traces.traces();
        } finally {
            deadline.interrupt();
            process.destroy();
        }
    }

    /** Ends a process in time: the system waits for what is read from it. */
    private static Thread deadline(final Process process, final long end) {
        Thread thread = new Thread("siamang-anr-deadline") {
            @Override
            public void run() {
                try {
                    Thread.sleep(Math.max(1, (end - System.nanoTime()) / 1_000_000));
                    process.destroy();
                } catch (InterruptedException e) {
                    // It was read in time.
                    return;
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
