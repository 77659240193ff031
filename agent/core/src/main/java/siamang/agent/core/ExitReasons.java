package siamang.agent.core;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads how a process ended in what {@code dumpsys activity exit-info} prints: entries, newest first. Android 11 gives each
 * field a line, later ones put several on one.
 */
public final class ExitReasons {
    private static final String ENTRY = "ApplicationExitInfo ";
    private static final Pattern FIELD = Pattern.compile("\\b(pid|process|reason|status)=(\\S+)");
    private static final String UNKNOWN = "0";
    private static final String EXIT_SELF = "1";

    private ExitReasons() {
    }

    /** {@code exit(3)} if it ended itself, an empty string if it was ended by others, null if that is not known yet. */
    public static String of(String text, int pid, String process) {
        String[] entries = text.split(ENTRY);
        // What stands before the first is no entry.
        for (int i = 1; i < entries.length; i++) {
            String[] fields = fields(entries[i]);
            if (String.valueOf(pid).equals(fields[0]) && process.equals(fields[1])) {
                if (fields[2] == null || fields[2].equals(UNKNOWN)) {
                    return null;
                }
                return fields[2].equals(EXIT_SELF) ? "exit(" + fields[3] + ")" : "";
            }
        }
        return null;
    }

    /** Number, name, reason and status; the first of each counts, what an app may have written comes after them. */
    private static String[] fields(String entry) {
        String[] found = new String[4];
        for (Matcher field = FIELD.matcher(entry); field.find(); ) {
            String name = field.group(1);
            int at = name.equals("pid") ? 0 : name.equals("process") ? 1 : name.equals("reason") ? 2 : 3;
            found[at] = found[at] == null ? field.group(2) : found[at];
        }
        return found;
    }
}
