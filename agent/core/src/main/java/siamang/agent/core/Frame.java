package siamang.agent.core;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** One frame of PROTOCOL.md section 2. */
public final class Frame {
    public final int kind;
    public final int op;
    public final int id;
    public final byte[] payload;

    public Frame(int kind, int op, int id, byte[] payload) {
        this.kind = kind;
        this.op = op;
        this.id = id;
        this.payload = payload;
    }

    public byte[] toBytes() {
        ByteWriter out = new ByteWriter(4 + Wire.HEADER_BYTES + payload.length);
        out.u32(Wire.HEADER_BYTES + payload.length).u8(kind).u8(op).u16(0).u32(id).raw(payload);
        return out.toBytes();
    }

    /**
     * Reads one frame. The length is checked against {@code maxLength} before a buffer exists.
     *
     * @throws EOFException if the stream ends, in the middle of a frame or between two
     */
    public static Frame read(InputStream in, int maxLength) throws IOException, ProtocolException {
        byte[] head = new byte[4 + Wire.HEADER_BYTES];
        fill(in, head, 0, 4);
        long length = new ByteReader(head).u32() & 0xFFFFFFFFL;
        if (length < Wire.HEADER_BYTES) {
            throw ProtocolException.fatal(AgentException.MALFORMED, "a frame of " + length + " bytes is too short");
        }
        if (length > maxLength) {
            throw ProtocolException.fatal(AgentException.LIMIT, "a frame of " + length + " bytes, the limit is " + maxLength);
        }
        fill(in, head, 4, Wire.HEADER_BYTES);
        ByteReader fields = new ByteReader(head);
        fields.u32();
        int kind = fields.u8();
        if (kind < Wire.REQUEST || kind > Wire.EVENT) {
            throw ProtocolException.fatal(AgentException.MALFORMED, "unknown kind of frame " + kind);
        }
        int op = fields.u8();
        fields.fixed(2);
        int id = fields.u32();
        byte[] payload = new byte[(int) length - Wire.HEADER_BYTES];
        fill(in, payload, 0, payload.length);
        return new Frame(kind, op, id, payload);
    }

    private static void fill(InputStream in, byte[] into, int from, int length) throws IOException {
        int have = 0;
        while (have < length) {
            int got = in.read(into, from + have, length - have);
            if (got < 0) {
                throw new EOFException("the stream ended after " + have + " of " + length + " bytes");
            }
            have += got;
        }
    }
}
