package siamang.agent.jvm.robo.inside;

import android.app.Application;
import android.content.pm.ApplicationInfo;
import android.os.Environment;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.robolectric.util.TempDirectory;
import siamang.agent.core.AgentException;
import siamang.agent.jvm.robo.shared.Hidden;

/**
 * The app's files between two lives: set aside when the process stops, put back before it starts, gone at a clean start.
 * Snapshots are copies of them that outlive all of that, and this JVM, too: the host carries their folder to the next one.
 */
final class Storage {
    private static final Hidden BASE = new Hidden(TempDirectory.class, "basePath");
    private static final Hidden ALL = new Hidden(TempDirectory.class, "tempDirectoriesToDelete");

    private final Path home;
    private final Path kept;
    private final Path snapshots;
    private final Sweeper sweeper;
    private Path[] folders = {};

    Storage(Path data) {
        this.home = data.resolve("0");
        this.kept = data.resolve("kept");
        this.snapshots = data.resolve("snapshots");
        this.sweeper = new Sweeper(data.resolve("spent"));
    }

    /** A file that comes and goes with the app's. */
    Path permissions() {
        return kept.resolve("permissions");
    }

    /**
     * A folder that was made for a new life becomes that of all lives, as on a phone: an app may show where its files are.
     * What an earlier life has left there is gone; its threads were stopped. Robolectric keeps a list of all such folders to
     * the end, which shall not grow; it may not become empty either, or there would be one more who waits for the end.
     */
    void settle(TempDirectory made) throws IOException {
        Path empty = made.getBasePath();
        sweeper.sweep(home);
        Files.createDirectories(home);
        BASE.put(made, home);
        Files.delete(empty);
        Set<TempDirectory> all = ALL.of(null);
        synchronized (all) {
            all.removeIf(other -> other != made);
        }
    }

    /** Before the environment deletes its temporary folders. */
    void setAside() throws IOException {
        for (int i = 0; i < folders.length; i++) {
            Path to = kept.resolve(String.valueOf(i));
            if (Files.isDirectory(folders[i])) {
                delete(to);
                Files.createDirectories(kept);
                Files.move(folders[i], to);
            }
        }
        folders = new Path[0];
    }

    void clear() throws IOException {
        sweeper.sweep(kept);
    }

    /** A new process has empty folders; what was set aside takes their place. */
    void putBack(Application app) {
        ApplicationInfo info = app.getApplicationInfo();
        folders = new Path[] {Path.of(info.dataDir), Path.of(info.credentialProtectedDataDir), Path.of(info.deviceProtectedDataDir),
            Environment.getExternalStorageDirectory().toPath(), app.getExternalFilesDir(null).toPath(), app.getExternalCacheDir().toPath()};
        try {
            for (int i = 0; i < folders.length; i++) {
                Path from = kept.resolve(String.valueOf(i));
                if (Files.isDirectory(from)) {
                    sweeper.sweep(folders[i]);
                    Files.move(from, folders[i]);
                }
            }
        } catch (IOException e) {
            JvmBackend.get().events.warn("the app's files were not put back", String.valueOf(e));
        }
    }

    /** As the files are now, be the app running or not. It is at rest between two steps, so nobody writes meanwhile. */
    long keep(String name) throws IOException {
        Path to = snapshots.resolve(name);
        Path part = snapshots.resolve(name + ".part");
        delete(part);
        Files.createDirectories(part);
        long bytes = 0;
        if (folders.length == 0 && Files.isDirectory(kept)) {
            bytes = copy(kept, part);
        }
        if (folders.length > 0 && Files.isRegularFile(permissions())) {
            Files.copy(permissions(), part.resolve(permissions().getFileName()));
        }
        for (int i = 0; i < folders.length; i++) {
            if (Files.isDirectory(folders[i])) {
                bytes += copy(folders[i], part.resolve(String.valueOf(i)));
            }
        }
        delete(to);
        Files.move(part, to);
        return bytes;
    }

    /** The app is stopped: what was set aside gives way to a copy of the snapshot. */
    void restore(String name) throws IOException, AgentException {
        Path from = snapshots.resolve(name);
        if (!Files.isDirectory(from)) {
            throw new AgentException(AgentException.STALE, "nothing was kept as " + name);
        }
        delete(kept);
        copy(from, kept);
    }

    /** Links are copied as links, and what is neither file nor folder is left behind. Returns the bytes of the files. */
    private static long copy(Path from, Path to) throws IOException {
        long[] bytes = new long[1];
        Files.walkFileTree(from, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(folder).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!attributes.isOther()) {
                    Files.copy(file, to.resolve(from.relativize(file).toString()), LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
                    bytes[0] += attributes.size();
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return bytes[0];
    }

    /** Links are removed, never followed: where they lead is not the app's. */
    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                File file = folder.toFile();
                // An app can make a folder that nobody may enter.
                file.setReadable(true);
                file.setWritable(true);
                file.setExecutable(true);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException error) throws IOException {
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
