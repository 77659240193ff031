package siamang.agent.tools;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Packs classes.dex into the agent's jar: DEX JAR. One entry, stored, with a fixed time, so that the same dex gives the same
 * bytes on every machine, whatever its zlib and its time zone.
 */
public final class PackJar {
    /** The jar travels to every phone and lives inside the host's binary. */
    static final int MAX_BYTES = 150_000;

    private static final String MAGIC = "dex\n035\0";

    private PackJar() {
    }

    public static void main(String[] args) throws IOException {
        byte[] dex = Files.readAllBytes(new File(args[0]).toPath());
        if (!new String(dex, 0, MAGIC.length(), StandardCharsets.ISO_8859_1).equals(MAGIC)) {
            throw new IOException(args[0] + " is no dex of version 035, and Android 5 reads no other");
        }
        File jar = new File(args[1]);
        try (FileOutputStream out = new FileOutputStream(jar)) {
            write(dex, out);
        }
        long size = jar.length();
        if (size > MAX_BYTES) {
            throw new IOException("the agent has " + size + " bytes, the limit is " + MAX_BYTES);
        }
    }

    private static void write(byte[] dex, FileOutputStream out) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(dex);
        ZipEntry entry = new ZipEntry("classes.dex");
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(dex.length);
        entry.setCompressedSize(dex.length);
        entry.setCrc(crc.getValue());
        // The zip format keeps local time without a zone, so local midnight is the same bytes everywhere.
        entry.setTime(new GregorianCalendar(1980, Calendar.FEBRUARY, 1, 0, 0, 0).getTimeInMillis());
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(entry);
            zip.write(dex);
            zip.closeEntry();
        }
    }
}
