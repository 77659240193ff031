package siamang.agent.core;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes a frame by hand, value by value with a comment each, straight from PROTOCOL.md. It shares no code with the
 * encoder under test, so that a mistake in one shows in the other.
 */
final class GoldenWriter {
    private final StringBuilder lines = new StringBuilder();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** A whole frame around a payload that was written by this class. */
    static GoldenWriter frame(int kind, int op, int id, GoldenWriter payload, String title) {
        GoldenWriter out = new GoldenWriter();
        out.lines.append("# ").append(title).append('\n');
        out.u32(8 + payload.bytes.size(), "length");
        out.u8(kind, "kind").u8(op, "op").put(new byte[2], "flags").u32(id, "id");
        out.lines.append(payload.lines);
        out.bytes.write(payload.bytes.toByteArray(), 0, payload.bytes.size());
        return out;
    }

    String text() {
        return lines.toString();
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    GoldenWriter u8(int value, String what) {
        return put(new byte[] {(byte) value}, what + " = " + value);
    }

    GoldenWriter bool(boolean value, String what) {
        return put(new byte[] {(byte) (value ? 1 : 0)}, what + " = " + value);
    }

    GoldenWriter u32(long value, String what) {
        byte[] out = new byte[4];
        for (int i = 0; i < 4; i++) {
            out[i] = (byte) (value >> 24 - 8 * i);
        }
        return put(out, what + " = " + value);
    }

    GoldenWriter u64(long value, String what) {
        byte[] out = new byte[8];
        for (int i = 0; i < 8; i++) {
            out[i] = (byte) (value >> 56 - 8 * i);
        }
        return put(out, what + " = 0x" + Long.toHexString(value));
    }

    GoldenWriter uv(long value, String what) {
        return put(leb(value), what + " = " + value);
    }

    GoldenWriter sv(int value, String what) {
        long zigzag = value >= 0 ? 2L * value : -2L * value - 1;
        return put(leb(zigzag), what + " = " + value);
    }

    GoldenWriter str(String value, String what) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        put(leb(utf8.length), what + ": length");
        return utf8.length == 0 ? this : put(utf8, "\"" + value.replace("\n", "\\n") + "\"");
    }

    GoldenWriter bytes(byte[] value, String what) {
        return put(leb(value.length), what + ": length").put(value, what);
    }

    GoldenWriter part(GoldenWriter part, String what) {
        put(leb(part.bytes.size()), what + ": length");
        lines.append(part.lines);
        bytes.write(part.bytes.toByteArray(), 0, part.bytes.size());
        return this;
    }

    GoldenWriter append(GoldenWriter other) {
        lines.append(other.lines);
        bytes.write(other.bytes.toByteArray(), 0, other.bytes.size());
        return this;
    }

    GoldenWriter put(byte[] value, String what) {
        StringBuilder hex = new StringBuilder();
        for (byte b : value) {
            hex.append(hex.length() == 0 ? "" : " ").append(String.format("%02x", b & 0xFF));
        }
        lines.append(hex).append("  # ").append(what).append('\n');
        bytes.write(value, 0, value.length);
        return this;
    }

    private static byte[] leb(long value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long rest = value;
        do {
            long low = rest % 128;
            rest /= 128;
            out.write((int) (rest > 0 ? low + 128 : low));
        } while (rest > 0);
        return out.toByteArray();
    }
}
