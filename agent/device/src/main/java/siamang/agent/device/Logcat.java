package siamang.agent.device;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import siamang.agent.core.CrashLog;
import siamang.agent.core.EventSink;
import siamang.agent.core.Log;

/** Follows the crash buffer of logcat, the second witness. */
final class Logcat {
    /** The lines of one crash come at once; after this much silence it is whole. */
    private static final long SILENCE_MS = 150;

    private final CrashLog crashes;
    private Process process;
    private long lastLine;
    private boolean closed;

    Logcat(EventSink events) {
        crashes = new CrashLog(events);
    }

    void open() throws IOException {
        // -T 1 begins with the newest line: crashes of yesterday are not ours.
        process = new ProcessBuilder("logcat", "-b", "crash", "-v", "threadtime", "-T", "1").redirectErrorStream(true).start();
        process.getOutputStream().close();
        daemon("siamang-logcat", new Runnable() {
            @Override
            public void run() {
                follow();
            }
        });
        daemon("siamang-logcat-flush", new Runnable() {
            @Override
            public void run() {
                flushWhenSilent();
            }
        });
    }

    synchronized void close() {
        closed = true;
        notifyAll();
        if (process != null) {
            process.destroy();
        }
    }

    private void follow() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                synchronized (this) {
                    crashes.line(line, System.currentTimeMillis());
                    lastLine = System.nanoTime();
                    notifyAll();
                }
            }
        } catch (IOException e) {
            Log.note("logcat ended", e);
        }
    }

    private synchronized void flushWhenSilent() {
        try {
            while (!closed) {
                if (lastLine == 0) {
                    wait();
                    continue;
                }
                long silent = (System.nanoTime() - lastLine) / 1_000_000;
                if (silent >= SILENCE_MS) {
                    crashes.flush();
                    lastLine = 0;
                } else {
                    wait(SILENCE_MS - silent);
                }
            }
        } catch (InterruptedException e) {
            Log.note("logcat's flush was interrupted");
        }
    }

    private static void daemon(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }
}
