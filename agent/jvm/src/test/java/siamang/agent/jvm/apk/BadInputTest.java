package siamang.agent.jvm.apk;

import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.Test;

public final class BadInputTest {
    private static final int TRIES = 20_000;

    @Test
    public void noBytesWhateverAreAManifest() {
        Random random = new Random(1);
        for (int i = 0; i < TRIES; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            if (bytes.length > 20) {
                // A chunk that could be one, so that more than the first check is reached.
                byte[] start = {3, 0, 8, 0, (byte) bytes.length, 0, 0, 0, (byte) (random.nextBoolean() ? 1 : 2), (byte) random.nextInt(2), 28, 0, (byte) (bytes.length - 8), 0, 0, 0};
                System.arraycopy(start, 0, bytes, 0, start.length);
            }
            assertThrows(BadApkException.class, () -> Manifest.read(bytes));
        }
    }

    @Test
    public void noBytesWhateverAreADex() {
        Random random = new Random(2);
        for (int i = 0; i < TRIES; i++) {
            byte[] bytes = new byte[random.nextInt(0x100)];
            random.nextBytes(bytes);
            if (bytes.length > 0x70) {
                System.arraycopy(new byte[] {'d', 'e', 'x', '\n'}, 0, bytes, 0, 4);
                bytes[0x60] |= 1;
                bytes[0x63] = 0;
                bytes[0x62] = 0;
            }
            try {
                DexSources.read(bytes, new HashMap<>());
            } catch (BadApkException expected) {
                continue;
            }
            // Random bytes can describe classes without source files; anything but an answer or a refusal has failed above.
        }
    }

    @Test
    public void aResourceTableThatCannotBeReadIsLeftAsItIs() {
        Random random = new Random(3);
        for (int i = 0; i < TRIES; i++) {
            byte[] bytes = new byte[random.nextInt(400)];
            random.nextBytes(bytes);
            assertSame(bytes, ResourceTable.widened(bytes));
            assertThrows(BadApkException.class, () -> ResourceTable.check(bytes));
        }
    }

    @Test
    public void aTableIsCheckedChunkByChunk() throws BadApkException {
        ResourceTable.check(table(8, 16));
        ResourceTable.check(table());
        for (int size : new int[] {7, 0, -8, 17, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            byte[] wrong = table(8, 16);
            ByteBuffer.wrap(wrong).order(ByteOrder.LITTLE_ENDIAN).putInt(24, size);
            assertThrows(String.valueOf(size), BadApkException.class, () -> ResourceTable.check(wrong));
        }
        byte[] whole = table(8, 16);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(String.valueOf(length), BadApkException.class, () -> ResourceTable.check(cut));
        }
    }

    private static byte[] table(int... chunks) {
        ByteBuffer table = ByteBuffer.allocate(12 + IntStream.of(chunks).sum()).order(ByteOrder.LITTLE_ENDIAN);
        table.putShort((short) 2).putShort((short) 12).putInt(table.capacity()).putInt(1);
        for (int size : chunks) {
            int at = table.position();
            table.putShort((short) 1).putShort((short) 8).putInt(size).position(at + size);
        }
        return table.array();
    }
}
