package siamang.agent.core;

/**
 * Finds the stacks of a process that did not respond in what the system keeps of such processes: the entries of its drop
 * box, oldest first. Each has a line of {@code =} before it, some headers, and the traces, the hung process first.
 */
public final class AnrTraces {
    private static final String ENTRY = "====";
    private static final String COMMAND = "Cmd line: ";
    private static final int MAX_CHARS = 60_000;

    private final String mine;
    private final String name;
    private final StringBuilder entry = new StringBuilder();
    private boolean inTraces;
    private boolean inMain;
    private boolean over;
    private String found;

    /** The number alone is not enough: entries outlive a restart of the phone, and numbers are used again. */
    public AnrTraces(int pid, String process) {
        mine = "----- pid " + pid + " at ";
        name = process;
    }

    public void line(String line) {
        if (line.startsWith(ENTRY)) {
            close();
            return;
        }
        if (over) {
            return;
        }
        if (line.startsWith("----- pid ")) {
            inTraces = !inTraces && line.startsWith(mine);
            over = !inTraces;
        }
        if (!inTraces) {
            return;
        }
        if (line.startsWith(COMMAND) && !line.substring(COMMAND.length()).trim().equals(name)) {
            inTraces = false;
            over = true;
            return;
        }
        if (inMain && line.trim().isEmpty()) {
            // The other threads are of no use: a signature is made of the main thread's frames.
            over = true;
            return;
        }
        inMain |= line.startsWith("\"main\"");
        boolean isHeader = line.startsWith("-----") || line.startsWith(COMMAND);
        if ((inMain || isHeader) && entry.length() + line.length() < MAX_CHARS) {
            entry.append(line).append('\n');
        }
    }

    /** The newest stack of the main thread, or null. */
    public String traces() {
        close();
        return found;
    }

    private void close() {
        if (inMain) {
            found = entry.toString();
        }
        entry.setLength(0);
        inTraces = false;
        inMain = false;
        over = false;
    }
}
