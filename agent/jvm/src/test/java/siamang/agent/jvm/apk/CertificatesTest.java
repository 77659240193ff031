package siamang.agent.jvm.apk;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertNull;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.Test;

public final class CertificatesTest {
    private static final byte[] CERTIFICATE = {1, 2, 3, 4, 5};
    private static final int FILES = 100;
    private static final int END_BYTES = 22;

    @Test
    public void theSignerOfTheLaterSchemesIsFoundInItsBlock() {
        byte[] signed = signed();
        assertArrayEquals(CERTIFICATE, Certificates.fromBlock(signed));
        // Where there is no block, nobody is found there.
        byte[] unsigned = signed.clone();
        unsigned[signed.length - END_BYTES - 1] = 0;
        assertNull(Certificates.fromBlock(unsigned));
    }

    @Test
    public void aBlockThatIsDamagedOrNoneIsNobodys() {
        Random random = new Random(1);
        byte[] good = signed();
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int hits = 0; hits < 3; hits++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            // An answer or none, whatever the bytes are; anything else fails here.
            Certificates.fromBlock(random.nextBoolean() ? bad : Arrays.copyOf(bad, random.nextInt(bad.length)));
        }
    }

    /** Some files, a block with two pairs of which the second is a signature, and the end of an archive without a directory. */
    private static byte[] signed() {
        byte[] digests = part(new byte[] {9, 9});
        byte[] signer = part(part(join(digests, part(part(CERTIFICATE)), part(new byte[0]))));
        byte[] pairs = join(pair(0x42, new byte[7]), pair(0x7109871a, part(signer)));
        byte[] size = number(8).putLong(pairs.length + 24).array();
        byte[] block = join(size, pairs, size, "APK Sig Block 42".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        byte[] end = number(END_BYTES).putInt(0x06054b50).putInt(16, FILES + block.length).array();
        return join(new byte[FILES], block, end);
    }

    private static byte[] pair(int id, byte[] value) {
        return join(number(12).putLong(value.length + 4).putInt(id).array(), value);
    }

    private static byte[] part(byte[] bytes) {
        return join(number(4).putInt(bytes.length).array(), bytes);
    }

    private static ByteBuffer number(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
