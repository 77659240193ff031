package siamang.agent.core;

import java.util.Arrays;

/** Writes the values of PROTOCOL.md section 1 into one growing array. */
public final class ByteWriter {
    private byte[] bytes;
    private int size;

    public ByteWriter() {
        this(256);
    }

    public ByteWriter(int expected) {
        bytes = new byte[Math.max(16, expected)];
    }

    public int size() {
        return size;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    public ByteWriter u8(int value) {
        grow(1);
        bytes[size++] = (byte) value;
        return this;
    }

    public ByteWriter bool(boolean value) {
        return u8(value ? 1 : 0);
    }

    public ByteWriter u16(int value) {
        return u8(value >>> 8).u8(value);
    }

    public ByteWriter u32(int value) {
        return u16(value >>> 16).u16(value);
    }

    public ByteWriter u64(long value) {
        return u32((int) (value >>> 32)).u32((int) value);
    }

    public ByteWriter uv(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("a uv cannot be " + value);
        }
        grow(9);
        long rest = value;
        while (rest >= 0x80) {
            bytes[size++] = (byte) (rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    public ByteWriter sv(int value) {
        return uv((value << 1 ^ value >> 31) & 0xFFFFFFFFL);
    }

    public ByteWriter raw(byte[] value) {
        return raw(value, 0, value.length);
    }

    public ByteWriter raw(byte[] value, int from, int length) {
        grow(length);
        System.arraycopy(value, from, bytes, size, length);
        size += length;
        return this;
    }

    public ByteWriter bytes(byte[] value) {
        return uv(value.length).raw(value);
    }

    /** Writes another writer's content as a length-prefixed part. */
    public ByteWriter part(ByteWriter part) {
        return uv(part.size).raw(part.bytes, 0, part.size);
    }

    public ByteWriter append(ByteWriter other) {
        return raw(other.bytes, 0, other.size);
    }

    public ByteWriter str(CharSequence value) {
        byte[] utf8 = Utf8.encode(value, Wire.MAX_STRING_BYTES);
        return bytes(utf8);
    }

    /** FNV-1a 64 of what was written from {@code from} on; cheap, and only ever compared with another of our own. */
    long hashFrom(int from) {
        long hash = 0xcbf29ce484222325L;
        for (int i = from; i < size; i++) {
            hash = (hash ^ bytes[i] & 0xFF) * 0x100000001b3L;
        }
        return hash;
    }

    private void grow(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
        }
    }
}
