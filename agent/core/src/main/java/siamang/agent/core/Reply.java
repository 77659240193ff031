package siamang.agent.core;

/** An answer without its prefix, which is written when it goes out. */
final class Reply {
    final int kind;
    final int op;
    private final byte[] body;

    private Reply(int kind, int op, byte[] body) {
        this.kind = kind;
        this.op = op;
        this.body = body;
    }

    static Reply ok(int op, ByteWriter body) {
        return new Reply(Wire.OK, op, body.toBytes());
    }

    static Reply ok(int op) {
        return new Reply(Wire.OK, op, new byte[0]);
    }

    static Reply error(int op, AgentException e) {
        ByteWriter out = new ByteWriter();
        out.uv(e.code()).bool(e.retriable()).str(e.getMessage()).str(e.detail());
        return new Reply(Wire.ERROR, op, out.toBytes());
    }

    /** The frame, or an error in its place if the host could not take it. */
    byte[] frame(int id, long lastSeq, long uptimeMs, int maxFrame) {
        ByteWriter out = new ByteWriter(body.length + 20).uv(lastSeq).uv(uptimeMs).raw(body);
        if (out.size() + Wire.HEADER_BYTES > maxFrame) {
            AgentException e = new AgentException(AgentException.LIMIT,
                    "the answer has " + out.size() + " bytes, the host takes " + maxFrame);
            return error(op, e).frame(id, lastSeq, uptimeMs, Integer.MAX_VALUE);
        }
        return new Frame(kind, op, id, out.toBytes()).toBytes();
    }
}
