package siamang.agent.jvm.robo.inside;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * What the system says of this process's threads. Java calls a thread waiting that was woken a moment ago and has not
 * had a processor since, and running one that waits in a system call; the system knows better, at any load.
 */
final class OsThreads {
    /**
     * Threads of the virtual machine and of this program, which work when they like; the system cuts names at 15
     * characters. A new thread has its maker's name until it runs, and these make none but their like.
     */
    private static final String[] OWN = {
        "C1 Compiler", "C2 Compiler", "G1 ", "GC Thread", "VM Thread", "VM Periodic", "Sweeper", "Monitor Deflat",
        "Service Thread", "Attach Listener", "siamang-", "Signal Dispatch", "Notification Th", "Common-Cleaner", "Reference Handl", "Finalizer"
    };

    private final File tasks;
    private final File self;
    private Thread asking;
    private String askingId = "";
    /** Those of the virtual machine; numbers come back only after tens of thousands of threads. */
    private final Set<String> own = new HashSet<>();
    private final byte[] line = new byte[512];

    OsThreads() {
        this(new File("/proc/self/task"), new File("/proc/thread-self"));
    }

    OsThreads(File tasks, File self) {
        this.tasks = tasks;
        this.self = self;
    }

    private String askingId() {
        Thread now = Thread.currentThread();
        if (asking != now) {
            asking = now;
            try {
                askingId = self.exists() ? self.getCanonicalFile().getName() : "";
            } catch (IOException e) {
                askingId = "";
            }
        }
        return askingId;
    }

    /** Whether a thread other than the asking one and the machine's own runs or is about to; false where nothing is told. */
    boolean anyRuns() {
        String[] ids = tasks.list();
        String asking = askingId();
        if (ids == null || asking.isEmpty()) {
            return false;
        }
        for (String id : ids) {
            if (!id.equals(asking) && !own.contains(id) && runs(id)) {
                return true;
            }
        }
        return false;
    }

    private boolean runs(String id) {
        String text;
        try (FileInputStream file = new FileInputStream(new File(tasks, id + "/stat"))) {
            int length = Math.max(0, file.read(line));
            text = new String(line, 0, length, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // It has ended meanwhile.
            return false;
        }
        // "12 (name, which may hold anything) S ..."
        int open = text.indexOf('(');
        int close = text.lastIndexOf(") ");
        if (open < 0 || close < open || close + 2 >= text.length()) {
            return false;
        }
        String name = text.substring(open + 1, close);
        for (String start : OWN) {
            if (name.startsWith(start)) {
                own.add(id);
                return false;
            }
        }
        char state = text.charAt(close + 2);
        return state == 'R' || state == 'D';
    }
}
