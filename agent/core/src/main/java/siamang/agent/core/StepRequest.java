package siamang.agent.core;

/** STEP or RESET, decoded before anything is done. */
final class StepRequest {
    final long step;
    /** Null in a RESET. */
    final Primitive[] primitives;
    final int resetMode;
    final String pkg;
    final String component;
    final String snapshot;
    final Pace pace;
    final int want;
    final long known;

    private StepRequest(long step, Primitive[] primitives, int resetMode, String pkg, String component, String snapshot, ByteReader in)
            throws ProtocolException {
        this.step = step;
        this.primitives = primitives;
        this.resetMode = resetMode;
        this.pkg = pkg;
        this.component = component;
        this.snapshot = snapshot;
        this.pace = Pace.read(in);
        this.want = in.uv(Integer.MAX_VALUE, "want");
        this.known = in.u64();
    }

    static StepRequest read(Request request) throws AgentException {
        ByteReader in = request.body;
        long step = in.uv();
        if (step == 0) {
            throw ProtocolException.malformed("a step id is at least 1");
        }
        if (request.op == Wire.STEP) {
            return new StepRequest(step, Primitive.readAll(in), 0, "", "", "", in);
        }
        int mode = in.u8();
        if (mode < Wire.RESET_WARM || mode > Wire.RESET_SNAPSHOT) {
            throw ProtocolException.malformed("unknown reset mode " + mode);
        }
        String pkg = Names.checkPackage(in.str());
        String component = in.str();
        if (!component.isEmpty()) {
            Names.checkClass(component);
        }
        String snapshot = in.str();
        if (mode == Wire.RESET_SNAPSHOT) {
            Names.checkSnapshot(snapshot);
        }
        return new StepRequest(step, null, mode, pkg, component, snapshot, in);
    }
}
