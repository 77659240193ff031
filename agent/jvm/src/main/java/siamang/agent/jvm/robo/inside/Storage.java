package siamang.agent.jvm.robo.inside;

import android.app.Application;
import android.content.pm.ApplicationInfo;
import android.os.Environment;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** The app's files between two lives: set aside when the process stops, put back before it starts, gone at a clean start. */
final class Storage {
    private final Path kept;
    private Path[] folders = {};

    Storage(Path data) {
        this.kept = data.resolve("kept");
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
        delete(kept);
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
                    delete(folders[i]);
                    Files.move(from, folders[i]);
                }
            }
        } catch (IOException e) {
            JvmBackend.get().events.warn("the app's files were not put back", String.valueOf(e));
        }
    }

    /** Links are removed, never followed: where they lead is not the app's. */
    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
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
