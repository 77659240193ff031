package siamang.agent.core;

/** Takes what happens on the device, from any thread. Never blocks: the system waits for some of the callers. */
public interface EventSink {
    void crash(CrashReport report);

    void anr(String process, int pid, String reason, int source);

    void exit(String process, int pid, String reason);

    void activity(boolean resuming, String pkg, String component);

    void toast(String pkg, String text);

    void externalIntent(String action, String data, String component);

    void windowsChanged();

    /** What a backend calls something that it could not put back; the host looks for these words. */
    String NOT_PUT_BACK = "not put back";

    void warn(String what, String why);

    /** One crash as one witness saw it. */
    final class CrashReport {
        public final String process;
        public final int pid;
        public final boolean isNative;
        public final String shortText;
        public final String longText;
        public final String stack;
        public final int source;
        public final long wallMs;

        public CrashReport(String process, int pid, boolean isNative, String shortText, String longText, String stack,
                int source, long wallMs) {
            this.process = process;
            this.pid = pid;
            this.isNative = isNative;
            this.shortText = shortText;
            this.longText = longText;
            this.stack = stack;
            this.source = source;
            this.wallMs = wallMs;
        }
    }
}
