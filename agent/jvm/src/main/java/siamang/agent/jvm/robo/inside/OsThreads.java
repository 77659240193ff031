package siamang.agent.jvm.robo.inside;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
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

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final File tasks;
    private final File self;
    private Thread asking;
    private String askingId = "";
    /** Those of the virtual machine; numbers come back only after tens of thousands of threads. */
    private final Set<String> own = new HashSet<>();
    /** What the system says of each of the others. It is asked at every frame, and opening takes longer than reading. */
    private final Map<String, RandomAccessFile> files = new HashMap<>();
    /** Threads that Java has started when they were listed; one that has ended since says so. */
    private long listed = -1;
    private String[] ids = {};
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
        String asking = askingId();
        if (asking.isEmpty()) {
            return false;
        }
        long started = THREADS.getTotalStartedThreadCount();
        if (listed != started) {
            list();
            listed = started;
        }
        for (String id : ids) {
            if (!id.equals(asking) && !own.contains(id) && runs(id)) {
                return true;
            }
        }
        return false;
    }

    private void list() {
        String[] found = tasks.list();
        ids = found == null ? new String[0] : found;
        Set<String> alive = Set.of(ids);
        own.retainAll(alive);
        files.entrySet().removeIf(entry -> !alive.contains(entry.getKey()) && close(entry.getValue()));
    }

    private static boolean close(RandomAccessFile file) {
        try {
            file.close();
        } catch (IOException e) {
            // There is nothing to lose in a file that was read.
        }
        return true;
    }

    private boolean runs(String id) {
        String text;
        try {
            RandomAccessFile file = files.get(id);
            if (file == null) {
                file = new RandomAccessFile(new File(tasks, id + "/stat"), "r");
                files.put(id, file);
            }
            file.seek(0);
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
                close(files.remove(id));
                return false;
            }
        }
        char state = text.charAt(close + 2);
        return state == 'R' || state == 'D';
    }
}
