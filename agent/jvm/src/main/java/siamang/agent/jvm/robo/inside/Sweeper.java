package siamang.agent.jvm.robo.inside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Takes away folders that nobody needs any more. They leave their place at once and are deleted beside the steps: a new name
 * is given in no time, but the end of a folder can take the disk milliseconds, and every life of the app ends some.
 */
final class Sweeper {
    private final Path spent;
    private final LinkedBlockingQueue<Path> queue = new LinkedBlockingQueue<>();
    /** What another JVM has left in the same place must not be met. */
    private long next = System.nanoTime();

    Sweeper(Path spent) {
        this.spent = spent;
        Thread thread = new Thread(this::run, "siamang-sweeper");
        thread.setDaemon(true);
        thread.start();
    }

    /** Afterwards the folder is not there. */
    void sweep(Path folder) throws IOException {
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(spent);
            Path to = spent.resolve(String.valueOf(next++));
            Files.move(folder, to);
            queue.add(to);
        }
    }

    private void run() {
        while (true) {
            try {
                Storage.delete(queue.take());
            } catch (IOException | RuntimeException e) {
                // It is in nobody's way, and its yard goes with all that is in it.
                continue;
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
