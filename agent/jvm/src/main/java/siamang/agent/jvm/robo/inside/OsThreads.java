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
    /** More than the state and what stands before it: a number and a name of 15 characters. */
    private static final int HEAD = 64;

    private final File tasks;
    private final File self;
    private Thread asking;
    private String askingId = "";
    /** Those of the virtual machine, and all that are older than the app; numbers come back only after tens of thousands of threads. */
    private final Set<String> own = new HashSet<>();
    /** What the system says of each of the others. It is asked at every frame, and opening takes longer than reading. */
    private final Map<String, RandomAccessFile> files = new HashMap<>();
    /** Threads that Java has started when they were listed; one that has ended since says so. */
    private long listed = -1;
    private String[] ids = {};
    private final byte[] head = new byte[HEAD];

    OsThreads() {
        this(new File("/proc/self/task"), new File("/proc/thread-self"));
    }

    /** For one who asks about threads of an app that has none yet: whoever is there beside the asking one is not the app's. */
    static OsThreads beforeAnyApp() {
        OsThreads system = new OsThreads();
        system.list();
        String asking = system.askingId();
        for (String id : system.ids) {
            if (!id.equals(asking)) {
                system.own.add(id);
            }
        }
        return system;
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
        int length;
        RandomAccessFile file = files.get(id);
        boolean isNew = file == null;
        try {
            if (isNew) {
                file = new RandomAccessFile(new File(tasks, id + "/stat"), "r");
                files.put(id, file);
            }
            file.seek(0);
            length = file.read(head);
        } catch (IOException e) {
            // It has ended meanwhile.
            return false;
        }
        // "12 (name, which may hold anything) S ...", and nothing but numbers after that.
        int close = length - 1;
        while (close >= 0 && head[close] != ')') {
            close--;
        }
        int state = close + 2;
        if (close < 0 || state >= length) {
            return false;
        }
        boolean runs = head[state] == 'R' || head[state] == 'D';
        if ((isNew || runs) && isOwn(head, close)) {
            own.add(id);
            close(files.remove(id));
            return false;
        }
        return runs;
    }

    private static boolean isOwn(byte[] head, int close) {
        String text = new String(head, 0, close, StandardCharsets.ISO_8859_1);
        String name = text.substring(text.indexOf('(') + 1);
        for (String start : OWN) {
            if (name.startsWith(start)) {
                return true;
            }
        }
        return false;
    }
}
