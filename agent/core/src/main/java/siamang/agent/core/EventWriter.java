package siamang.agent.core;

/** Writes what happens into the session's queue, in the form of PROTOCOL.md section 6. */
final class EventWriter implements EventSink {
    private final Session session;

    EventWriter(Session session) {
        this.session = session;
    }

    @Override
    public void crash(CrashReport report) {
        ByteWriter out = new ByteWriter(512);
        out.str(text(report.process)).uv(Math.max(0, report.pid)).bool(report.isNative);
        out.str(text(report.shortText)).str(text(report.longText)).str(text(report.stack));
        out.u8(report.source).uv(Math.max(0, report.wallMs));
        session.event(Wire.CRASH, out);
    }

    @Override
    public void anr(String process, int pid, String reason, int source) {
        session.event(Wire.ANR, new ByteWriter().str(text(process)).uv(Math.max(0, pid)).str(text(reason)).u8(source));
    }

    @Override
    public void exit(String process, int pid, String reason) {
        session.event(Wire.EXIT, new ByteWriter().str(text(process)).uv(Math.max(0, pid)).str(text(reason)));
    }

    @Override
    public void activity(boolean resuming, String pkg, String component) {
        session.event(Wire.ACTIVITY, new ByteWriter().u8(resuming ? 2 : 1).str(text(pkg)).str(text(component)));
    }

    @Override
    public void toast(String pkg, String text) {
        session.event(Wire.TOAST, new ByteWriter().str(text(pkg)).str(text(text)));
    }

    @Override
    public void externalIntent(String action, String data, String component) {
        session.event(Wire.EXTERNAL_INTENT, new ByteWriter().str(text(action)).str(text(data)).str(text(component)));
    }

    @Override
    public void windowsChanged() {
        session.windowsChanged();
    }

    @Override
    public void warn(String what, String why) {
        session.event(Wire.WARN, new ByteWriter().str(text(what)).str(text(why)));
    }

    private static String text(String maybe) {
        return maybe == null ? "" : maybe;
    }
}
