package siamang.agent.core;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads crashes from lines of {@code logcat -b crash -v threadtime}. The second witness: it sees native crashes better
 * than the activity controller, but any app can write such lines, so its reports carry their source.
 */
public final class CrashLog {
    private static final Pattern LINE = Pattern.compile(
            "\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+ +(?:\\S+ +)??(\\d+) +\\d+ ([VDIWEFA]) (.*?) *: (.*)");
    private static final Pattern PROCESS = Pattern.compile("Process: (\\S+?), PID: (\\d+).*");
    private static final Pattern NATIVE = Pattern.compile("pid: (\\d+), tid: -?\\d+, name: .*>>> (.*) <<<.*");
    private static final int MAX_STACK_CHARS = 60_000;

    private final EventSink sink;
    private final StringBuilder stack = new StringBuilder();
    private String blockTag;
    private String blockPid;
    private String process;
    private int pid;
    private boolean isNative;
    private String first;
    private long wallMs;

    public CrashLog(EventSink sink) {
        this.sink = sink;
    }

    public void line(String line, long nowWallMs) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
            return;
        }
        String linePid = parts.group(1);
        String tag = parts.group(3);
        String text = parts.group(4);
        boolean starts = tag.equals("AndroidRuntime") && text.startsWith("FATAL EXCEPTION") || tag.equals("DEBUG") && text.startsWith("*** ***");
        if (starts || blockTag == null || !tag.equals(blockTag) || !linePid.equals(blockPid)) {
            flush();
            if (starts) {
                blockTag = tag;
                blockPid = linePid;
                isNative = tag.equals("DEBUG");
                wallMs = nowWallMs;
            }
            return;
        }
        more(text);
    }

    /** Reports the block that is being read, if it is one. Called when no line came for a while. */
    public void flush() {
        if (blockTag != null && process != null && first != null) {
            sink.crash(new EventSink.CrashReport(process, pid, isNative, headline(), first, stack.toString(), Wire.SOURCE_LOGCAT, wallMs));
        }
        blockTag = null;
        process = null;
        first = null;
        stack.setLength(0);
    }

    private void more(String text) {
        Matcher name = (isNative ? NATIVE : PROCESS).matcher(text);
        if (process == null && name.matches()) {
            process = name.group(isNative ? 2 : 1);
            pid = parse(name.group(isNative ? 1 : 2));
            return;
        }
        if (process == null) {
            return;
        }
        if (first == null && (!isNative || text.startsWith("signal ") || text.startsWith("Abort message"))) {
            first = text;
        }
        if (stack.length() + text.length() < MAX_STACK_CHARS) {
            stack.append(text).append('\n');
        }
    }

    private String headline() {
        int end = isNative ? -1 : first.indexOf(':');
        return isNative ? "Native crash" : end < 0 ? first : first.substring(0, end);
    }

    private static int parse(String digits) {
        return digits.length() > 9 ? 0 : Integer.parseInt(digits);
    }
}
