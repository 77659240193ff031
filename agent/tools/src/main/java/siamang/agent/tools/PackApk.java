package siamang.agent.tools;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Packs an app without resources: MANIFEST DEX APK [ENTRY...], the last of which are empty files. It is not signed: the JVM device does not ask for that. */
public final class PackApk {
    private PackApk() {
    }

    public static void main(String[] args) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(args[2]))) {
            store(zip, "AndroidManifest.xml", BinaryManifest.of(Files.readAllBytes(new File(args[0]).toPath())));
            store(zip, "classes.dex", Files.readAllBytes(new File(args[1]).toPath()));
            for (int i = 3; i < args.length; i++) {
                store(zip, args[i], new byte[0]);
            }
        }
    }

    private static void store(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        ZipEntry entry = new ZipEntry(name);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCompressedSize(bytes.length);
        entry.setCrc(crc.getValue());
        // The same bytes on every machine and day; the app is cached by their hash.
        entry.setTime(new GregorianCalendar(1980, Calendar.FEBRUARY, 1, 0, 0, 0).getTimeInMillis());
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
    }
}
