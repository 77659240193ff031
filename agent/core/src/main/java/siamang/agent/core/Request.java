package siamang.agent.core;

/** A request's head; the body is read by whoever answers it. */
final class Request {
    final int op;
    final int id;
    final long deadlineMs;
    final long seen;
    final ByteReader body;

    private Request(int op, int id, long deadlineMs, long seen, ByteReader body) {
        this.op = op;
        this.id = id;
        this.deadlineMs = deadlineMs;
        this.seen = seen;
        this.body = body;
    }

    static Request read(Frame frame) throws ProtocolException {
        if (frame.kind != Wire.REQUEST) {
            throw ProtocolException.fatal(AgentException.MALFORMED, "a host sends requests only, not kind " + frame.kind);
        }
        ByteReader in = new ByteReader(frame.payload);
        long deadline = in.uv();
        long seen = in.uv();
        long bounded = deadline == 0 ? Wire.DEFAULT_DEADLINE_MS : Math.min(deadline, Wire.MAX_DEADLINE_MS);
        return new Request(frame.op, frame.id, bounded, seen, in);
    }
}
