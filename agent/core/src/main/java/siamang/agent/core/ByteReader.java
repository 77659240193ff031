package siamang.agent.core;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Reads the values of PROTOCOL.md section 1. A length or count is compared with what is left before anything is
 * allocated, so a hostile payload costs at most its own size.
 */
public final class ByteReader {
    private final byte[] bytes;
    private final int end;
    private int at;

    public ByteReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    private ByteReader(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.at = from;
        this.end = end;
    }

    public int remaining() {
        return end - at;
    }

    public int u8() throws ProtocolException {
        need(1);
        return bytes[at++] & 0xFF;
    }

    public boolean bool() throws ProtocolException {
        int value = u8();
        if (value > 1) {
            throw ProtocolException.malformed("a bool is " + value);
        }
        return value == 1;
    }

    public int u32() throws ProtocolException {
        need(4);
        int value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 8 | bytes[at++] & 0xFF;
        }
        return value;
    }

    public long u64() throws ProtocolException {
        return (long) u32() << 32 | u32() & 0xFFFFFFFFL;
    }

    public long uv() throws ProtocolException {
        long value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            int next = u8();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw ProtocolException.malformed("a uv is longer than 9 bytes");
    }

    /** A uv with a limit of its own; {@code what} names it in the error. */
    public int uv(int max, String what) throws ProtocolException {
        long value = uv();
        if (value > max) {
            throw ProtocolException.limit(what + " is " + value + ", the limit is " + max);
        }
        return (int) value;
    }

    public int sv() throws ProtocolException {
        long value = uv();
        if (value > 0xFFFFFFFFL) {
            throw ProtocolException.malformed("an sv does not fit 32 bits");
        }
        return (int) (value >>> 1) ^ -(int) (value & 1);
    }

    /** The count of a list whose items take at least {@code itemBytes} each. */
    public int count(int max, int itemBytes, String what) throws ProtocolException {
        int count = uv(max, "the number of " + what);
        if ((long) count * itemBytes > remaining()) {
            throw ProtocolException.malformed(count + " " + what + " cannot fit in " + remaining() + " bytes");
        }
        return count;
    }

    public byte[] fixed(int length) throws ProtocolException {
        need(length);
        byte[] copy = new byte[length];
        System.arraycopy(bytes, at, copy, 0, length);
        at += length;
        return copy;
    }

    public byte[] bytes(int max, String what) throws ProtocolException {
        return fixed(checked(uv(max, what)));
    }

    /** A reader of the next length-prefixed part; this reader goes on after it whatever is read there. */
    public ByteReader part() throws ProtocolException {
        int length = checked(uv(Integer.MAX_VALUE, "a part"));
        ByteReader part = new ByteReader(bytes, at, at + length);
        at += length;
        return part;
    }

    public String str() throws ProtocolException {
        int length = checked(uv(Wire.MAX_STRING_BYTES, "a string"));
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        try {
            CharBuffer text = decoder.decode(ByteBuffer.wrap(bytes, at, length));
            at += length;
            return text.toString();
        } catch (CharacterCodingException e) {
            throw ProtocolException.malformed("a string is not UTF-8");
        }
    }

    private int checked(int length) throws ProtocolException {
        need(length);
        return length;
    }

    private void need(int length) throws ProtocolException {
        if (length > end - at) {
            throw ProtocolException.malformed("the payload ends " + (length - (end - at)) + " bytes too early");
        }
    }
}
