package siamang.agent.core;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class UndoJournalTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final List<String> undone = new ArrayList<String>();
    private String failing = "";
    private File file;

    private final UndoJournal.Undoer undoer = new UndoJournal.Undoer() {
        @Override
        public void undo(UndoJournal.Entry entry) throws IOException {
            if (entry.key.equals(failing)) {
                throw new IOException("cannot undo " + entry.key);
            }
            undone.add(entry.kind + " " + entry.key + " " + entry.old);
        }
    };

    @Before
    public void place() {
        file = new File(folder.getRoot(), "undo");
    }

    @Test
    public void changes_are_undone_newest_first_and_the_file_goes() throws Exception {
        UndoJournal journal = new UndoJournal(file, undoer);
        journal.note("global", "scale", "1.0");
        journal.note("global", "scale", "0");
        journal.note("global", "stay_on", null);
        journal.undoAll();
        assertEquals(Arrays.asList("global stay_on null", "global scale 1.0"), undone);
        assertFalse(file.exists());
    }

    @Test
    public void the_next_agent_works_off_what_a_killed_one_left() throws Exception {
        UndoJournal killed = new UndoJournal(file, undoer);
        killed.note("global", "a", "-");
        killed.note("secure", "b", "tab\there\\ and\nthere");
        killed.note("system", "c", "");
        UndoJournal next = new UndoJournal(file, undoer);
        assertEquals(3, next.recover());
        assertEquals(Arrays.asList("system c ", "secure b tab\there\\ and\nthere", "global a -"), undone);
        assertFalse(file.exists());
        assertEquals(0, next.recover());
    }

    @Test
    public void a_torn_last_line_is_a_change_that_was_not_made() throws Exception {
        new UndoJournal(file, undoer).note("global", "a", "1");
        try (FileOutputStream out = new FileOutputStream(file, true)) {
            out.write("global\tb\t1".getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(1, new UndoJournal(file, undoer).recover());
        assertEquals(Arrays.asList("global a 1"), undone);
    }

    @Test
    public void what_cannot_be_undone_stays_for_the_next_one() throws Exception {
        UndoJournal journal = new UndoJournal(file, undoer);
        journal.note("global", "a", "1");
        journal.note("global", "b", "2");
        failing = "b";
        try {
            journal.undoAll();
            fail("undone");
        } catch (IOException e) {
            assertTrue(e.getMessage(), e.getMessage().contains("cannot undo b"));
        }
        assertEquals(Arrays.asList("global a 1"), undone);
        assertEquals(1, Files.readAllLines(file.toPath(), StandardCharsets.UTF_8).size());
        failing = "";
        assertEquals(1, new UndoJournal(file, undoer).recover());
        assertEquals(Arrays.asList("global a 1", "global b 2"), undone);
    }
}
