package siamang.agent.jvm.apk;

import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public final class ArchiveTest {
    private static final int KB = 1 << 10;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void anArchiveOfMoreEntriesOrBytesThanAnyAppHasIsRefusedBeforeItIsUnpacked() throws Exception {
        try (ZipFile zip = zip(4, 512 * KB)) {
            Archive.check(zip);
            Archive.check(zip, 4, 2048 * KB);
            String many = assertThrows(BadApkException.class, () -> Archive.check(zip, 3, 2048 * KB)).getMessage();
            assertTrue(many, many.contains("it has 4 entries"));
            String large = assertThrows(BadApkException.class, () -> Archive.check(zip, 4, 1024 * KB)).getMessage();
            assertTrue(large, large.contains("larger than 1 MB"));
        }
    }

    @Test
    public void anEntryThatHasMoreThanItSaysIsDamaged() throws Exception {
        Path file = folder.newFile().toPath();
        byte[] bytes;
        try (ZipFile zip = zip(1, 512 * KB)) {
            bytes = Files.readAllBytes(Path.of(zip.getName()));
        }
        // The directory at the end says how large an entry is unpacked; this one lies.
        int directory = last(bytes, new byte[] {'P', 'K', 1, 2});
        bytes[directory + 24] = 1;
        bytes[directory + 25] = bytes[directory + 26] = bytes[directory + 27] = 0;
        Files.write(file, bytes);
        try (ZipFile zip = new ZipFile(file.toFile())) {
            String told = assertThrows(BadApkException.class, () -> Prepare.bytes(zip, zip.getEntry("0"))).getMessage();
            assertTrue(told, told.contains("is damaged"));
        }
    }

    private static int last(byte[] bytes, byte[] wanted) {
        for (int at = bytes.length - wanted.length; ; at--) {
            if (java.util.Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
                return at;
            }
        }
    }

    private ZipFile zip(int entries, int size) throws IOException {
        Path file = folder.newFile().toPath();
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < entries; i++) {
                out.putNextEntry(new ZipEntry(String.valueOf(i)));
                out.write(new byte[size]);
                out.closeEntry();
            }
        }
        return new ZipFile(file.toFile());
    }
}
