package siamang.agent.jvm;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public final class SetUpTest {
    private static final byte[] CLASS = {1, 2, 3};

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void aSignedJarIsCopiedWithoutItsSignatureAndAnyOtherIsNot() throws Exception {
        Path jars = folder.newFolder("jars").toPath();
        Path to = folder.getRoot().toPath().resolve("unsigned");
        write(jars.resolve("signed.jar"), "META-INF/KEY.SF", "META-INF/KEY.RSA", "a/A.class");
        write(jars.resolve("plain.jar"), "a/A.class");
        SetUp.dropSignatures(jars, to);
        assertTrue(Files.notExists(to.resolve("plain.jar")));
        try (JarFile copy = new JarFile(to.resolve("signed.jar").toFile())) {
            assertNull(copy.getEntry("META-INF/KEY.SF"));
            assertNull(copy.getEntry("META-INF/KEY.RSA"));
            assertNotNull(copy.getEntry("META-INF/services/x"));
            assertArrayEquals(CLASS, copy.getInputStream(copy.getEntry("a/A.class")).readAllBytes());
            assertEquals("true", copy.getManifest().getMainAttributes().getValue(Attributes.Name.MULTI_RELEASE));
            assertTrue(copy.getManifest().getEntries().isEmpty());
        }
    }

    private static void write(Path to, String... names) throws Exception {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(to))) {
            out.putNextEntry(new ZipEntry(JarFile.MANIFEST_NAME));
            out.write("Manifest-Version: 1.0\nMulti-Release: true\n\nName: a/A.class\nSHA-256-Digest: none\n\n".getBytes(StandardCharsets.UTF_8));
            out.putNextEntry(new ZipEntry("META-INF/services/x"));
            for (String name : names) {
                out.putNextEntry(new ZipEntry(name));
                out.write(CLASS);
            }
        }
    }
}
