package siamang.agent.jvm.robo.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class SweeperTest {
    private static final long DEADLINE_NS = 60_000_000_000L;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void whatIsSweptIsGoneAtOnceAndDeletedSoon() throws Exception {
        Path spent = folder.getRoot().toPath().resolve("spent");
        Sweeper sweeper = new Sweeper(spent);
        for (int life = 0; life < 3; life++) {
            Path files = Files.createDirectories(folder.getRoot().toPath().resolve("data/files"));
            Files.writeString(files.resolve("note"), "text");
            sweeper.sweep(files.getParent());
            assertFalse(Files.exists(files.getParent()));
        }
        long end = System.nanoTime() + DEADLINE_NS;
        while (left(spent) > 0 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertEquals(0, left(spent));
    }

    @Test
    public void whatIsNotThereIsSwept() throws Exception {
        Path spent = folder.getRoot().toPath().resolve("spent");
        new Sweeper(spent).sweep(folder.getRoot().toPath().resolve("nothing"));
        assertTrue(Files.notExists(spent));
    }

    private static int left(Path spent) {
        File[] files = spent.toFile().listFiles();
        return files == null ? 0 : files.length;
    }
}
