package siamang.agent.jvm.apk;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public final class ConverterTest {
    @Test
    public void bothPlacesThatAskForAZeroInFrontAnswerNo() {
        byte[] before = {1, 0x19, 5, (byte) 0xb8, 0x01, (byte) 0xf5, 2, 0x19, 6, (byte) 0xb8, 0x01, (byte) 0xf5, 0x19, 5, (byte) 0xb8, 0x01, (byte) 0xf5};
        byte[] after = {1, 0x03, 0, 0, 0, 0, 2, 0x19, 6, (byte) 0xb8, 0x01, (byte) 0xf5, 0x03, 0, 0, 0, 0};
        assertArrayEquals(after, Converter.mend(before));
    }

    @Test
    public void anotherConverterIsNotUsedUnmended() {
        assertThrows(IllegalStateException.class, () -> Converter.mend(new byte[100]));
    }
}
