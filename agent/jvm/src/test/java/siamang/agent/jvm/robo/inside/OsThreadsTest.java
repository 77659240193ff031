package siamang.agent.jvm.robo.inside;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.locks.LockSupport;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class OsThreadsTest {
    private static final long DEADLINE_NS = 60_000_000_000L;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private volatile boolean over;

    @Test
    public void aThreadThatWorksIsSeenAndOneThatWaitsIsNot() throws Exception {
        OsThreads system = new OsThreads();
        Thread waiting = new Thread(() -> {
            while (!over) {
                LockSupport.park();
            }
        });
        Thread working = new Thread(this::spin);
        waiting.start();
        until(system, false);
        working.start();
        until(system, true);
        over = true;
        LockSupport.unpark(waiting);
        working.join();
        waiting.join();
        until(system, false);
    }

    @Test
    public void whoWasThereBeforeTheAppIsNotTheApps() throws Exception {
        Thread older = new Thread(this::spin);
        Thread younger = new Thread(this::spin);
        older.start();
        OsThreads all = new OsThreads();
        until(all, true);
        OsThreads system = OsThreads.beforeAnyApp();
        until(system, false);
        assertTrue(older.isAlive());
        younger.start();
        until(system, true);
        over = true;
        older.join();
        younger.join();
        until(system, false);
    }

    private void spin() {
        while (!over) {
            Thread.onSpinWait();
        }
    }

    @Test
    public void theNameIsNoPartOfTheState() throws Exception {
        assertFalse(of("7 (quiet) R name) S 1 2 3"));
        assertTrue(of("7 (busy) S name) R 1 2 3"));
        assertTrue(of("7 (at the disk) D 1 2 3"));
        assertFalse(of("7 (C2 CompilerThre) R 1 2 3"));
        assertFalse(of("7"));
        assertFalse(of("7 () "));
        assertFalse(new OsThreads(new File(folder.getRoot(), "nothing"), folder.getRoot()).anyRuns());
    }

    @Test
    public void theAskingThreadDoesNotCount() throws Exception {
        File tasks = written("7 (asks) R 1 2 3");
        assertFalse(new OsThreads(tasks, new File(tasks, "7")).anyRuns());
    }

    private boolean of(String stat) throws IOException {
        return new OsThreads(written(stat), folder.getRoot()).anyRuns();
    }

    private File written(String stat) throws IOException {
        File tasks = folder.newFolder();
        File task = new File(tasks, "7");
        assertTrue(task.mkdir());
        Files.writeString(new File(task, "stat").toPath(), stat);
        return tasks;
    }

    private static void until(OsThreads system, boolean runs) {
        long end = System.nanoTime() + DEADLINE_NS;
        while (system.anyRuns() != runs) {
            assertTrue(System.nanoTime() < end);
        }
    }
}
