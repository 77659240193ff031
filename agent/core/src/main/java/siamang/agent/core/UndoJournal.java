package siamang.agent.core;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What must be put back, written to disk before it is changed: an agent that is killed leaves the list behind, and the next
 * one starts by working it off. One line an entry: kind, key and old value, separated by tabs; "-" alone is an absent value.
 */
public final class UndoJournal {
    private static final int MAX_ENTRIES = 256;

    private final File file;
    private final Undoer undoer;
    private final List<Entry> entries = new ArrayList<Entry>();

    /** Puts one thing back. Must not throw for a thing that is already as it was. */
    public interface Undoer {
        void undo(Entry entry) throws IOException;
    }

    /** One thing that was changed; {@code old} is null if it was not set. */
    public static final class Entry {
        public final String kind;
        public final String key;
        public final String old;

        public Entry(String kind, String key, String old) {
            this.kind = kind;
            this.key = key;
            this.old = old;
        }
    }

    public UndoJournal(File file, Undoer undoer) {
        this.file = file;
        this.undoer = undoer;
    }

    /** Works off what an earlier agent left; returns how many entries there were. */
    public synchronized int recover() throws IOException {
        if (!file.exists()) {
            return 0;
        }
        entries.addAll(read());
        int count = entries.size();
        undoAll();
        return count;
    }

    /** Notes an old value, once: what the second change finds is already ours. */
    public synchronized void note(String kind, String key, String old) throws IOException {
        for (Entry entry : entries) {
            if (entry.kind.equals(kind) && entry.key.equals(key)) {
                return;
            }
        }
        if (entries.size() == MAX_ENTRIES) {
            throw new IOException("the undo journal is full");
        }
        Entry entry = new Entry(kind, key, old);
        try (FileOutputStream out = new FileOutputStream(file, true)) {
            out.write(line(entry).getBytes(StandardCharsets.UTF_8));
            out.getFD().sync();
        }
        entries.add(entry);
    }

    /** Newest first. What cannot be put back stays in the file, for the next agent. */
    public synchronized void undoAll() throws IOException {
        StringBuilder failures = new StringBuilder();
        for (int i = entries.size() - 1; i >= 0; i--) {
            try {
                undoer.undo(entries.get(i));
                entries.remove(i);
            } catch (IOException e) {
                failures.append(failures.length() == 0 ? "" : "; ").append(entries.get(i).kind).append(' ').append(entries.get(i).key)
                        .append(": ").append(e.getMessage());
            }
        }
        if (failures.length() == 0) {
            if (file.exists() && !file.delete()) {
                throw new IOException("could not delete " + file);
            }
            return;
        }
        try (FileOutputStream out = new FileOutputStream(file)) {
            for (Entry entry : entries) {
                out.write(line(entry).getBytes(StandardCharsets.UTF_8));
            }
            out.getFD().sync();
        }
        throw new IOException(failures.toString());
    }

    private List<Entry> read() throws IOException {
        List<Entry> found = new ArrayList<Entry>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null && found.size() < MAX_ENTRIES) {
                String[] parts = line.split("\t", -1);
                // The last line of a killed agent may be torn; its change was not made yet.
                if (parts.length == 4 && parts[3].equals(".")) {
                    found.add(new Entry(unescape(parts[0]), unescape(parts[1]), parts[2].equals("-") ? null : unescape(parts[2])));
                }
            }
        }
        return found;
    }

    private static String line(Entry entry) {
        String old = entry.old == null ? "-" : escape(entry.old);
        return escape(entry.kind) + "\t" + escape(entry.key) + "\t" + old + "\t.\n";
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r").replace("-", "\\m");
    }

    private static String unescape(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\' || i + 1 == text.length()) {
                out.append(c);
                continue;
            }
            char next = text.charAt(++i);
            out.append(next == 't' ? '\t' : next == 'n' ? '\n' : next == 'r' ? '\r' : next == 'm' ? '-' : next);
        }
        return out.toString();
    }
}
