package siamang.agent.device;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import siamang.agent.core.AnrTraces;
import siamang.agent.core.EventSink;
import siamang.agent.core.Log;
import siamang.agent.core.Wire;

/**
 * The stacks of a process that does not respond. The system takes them before it tells the activity controller, and puts
 * them into its drop box on a thread of its own; the shell may read them there. From Android 13 on the drop box takes only
 * six of one process in ten minutes; the activity manager shows the file of the last ANR without such a limit.
 */
class AnrStacks {
    /** The entry is written while the controller is told. */
    private static final long PATIENCE_MS = 3_000;
    private static final long PAUSE_MS = 100;
    /** How long a look at the screen waits for a stack: as long as that is looked for, and a little. */
    private static final long AWAIT_MS = PATIENCE_MS + 1_000;
    private static final String[] TAGS = {"data_app_anr", "system_app_anr"};

    private int looking;

    /** Tells of a hang as soon as its stack is known. Returns at once. */
    void tell(final String process, final int pid, final String stats, final EventSink events) {
        synchronized (this) {
            looking++;
        }
        Thread thread = new Thread("siamang-anr") {
            @Override
            public void run() {
                String stack = "";
                try {
                    stack = of(pid, process);
                } finally {
                    events.anr(process, pid, stack.isEmpty() ? stats : stats + "\n" + stack, Wire.SOURCE_CONTROLLER);
                    done();
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits until all hangs that the system spoke of are told. */
    synchronized void await() throws InterruptedException {
        long end = System.nanoTime() + AWAIT_MS * 1_000_000;
        for (long left = AWAIT_MS; looking > 0 && left > 0; left = (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
    }

    private synchronized void done() {
        looking--;
        notifyAll();
    }

    /** The stack of its main thread in the system's own words, or an empty string. */
    String of(int pid, String name) {
        long begun = now();
        long end = System.nanoTime() + PATIENCE_MS * 1_000_000;
        try {
            do {
                // An entry of another minute is of another hang, and to print them all takes seconds.
                for (String minute : minutes(begun, now())) {
                    for (String tag : TAGS) {
                        String traces = read(pid, name, end, "dumpsys", "dropbox", "--print", tag, minute);
                        if (traces != null) {
                            return traces;
                        }
                    }
                }
                String traces = read(pid, name, end, "dumpsys", "activity", "lastanr-traces");
                if (traces != null) {
                    return traces;
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

    /** The wall clock, by which the drop box sorts. */
    long now() {
        return System.currentTimeMillis();
    }

    /** As the drop box writes them. An entry may have come a moment before the clock struck, or after. */
    private static Set<String> minutes(long begun, long now) {
        return new LinkedHashSet<String>(Arrays.asList(minute(now), minute(begun), minute(begun - 2_000)));
    }

    private static String minute(long time) {
        return String.format(Locale.US, "%1$tF %1$tR", new Date(time));
    }

    private String read(int pid, String name, long end, String... command) throws IOException {
        AnrTraces traces = new AnrTraces(pid, name);
        print(traces, end, command);
        return traces.traces();
    }

    /** Runs a program and hands over what it prints. */
    void print(AnrTraces to, long end, String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread deadline = deadline(process, end);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            process.getOutputStream().close();
            String line;
            while ((line = in.readLine()) != null) {
                to.line(line);
            }
        } finally {
            deadline.interrupt();
            process.destroy();
        }
    }

    /** Ends a process in time: a system that hangs itself would never answer it. */
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
