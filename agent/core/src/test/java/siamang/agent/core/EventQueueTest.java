package siamang.agent.core;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.io.ByteArrayInputStream;
import java.util.List;
import org.junit.Test;

public class EventQueueTest {
    private final EventQueue queue = new EventQueue();

    @Test
    public void a_flood_drops_windows_and_warnings_before_anything_else() throws Exception {
        add(Wire.CRASH, 1);
        add(Wire.TOAST, 1);
        add(Wire.WARN, 10);
        add(Wire.TOAST, Wire.MAX_EVENTS);
        List<byte[]> frames = queue.framesAfter(0);
        assertEquals(Wire.MAX_EVENTS, frames.size());
        assertEquals(Wire.CRASH, op(frames.get(0)));
        // The ten warnings went first, then the two oldest toasts.
        assertEquals(12, queue.dropped());
        assertEquals(14, seq(frames.get(1)));
        assertEquals(Wire.TOAST, op(frames.get(1)));
    }

    @Test
    public void failures_are_dropped_by_nothing() throws Exception {
        add(Wire.CRASH, 600);
        add(Wire.ANR, 424);
        add(Wire.TOAST, 5);
        add(Wire.CRASH, 3);
        List<byte[]> frames = queue.framesAfter(0);
        assertEquals(Wire.MAX_EVENTS, frames.size());
        for (int i = 0; i < frames.size(); i++) {
            assertEquals(i + 1, seq(frames.get(i)));
        }
        assertEquals(5, queue.dropped());
        assertEquals(3, queue.droppedFailures());
    }

    @Test
    public void what_was_seen_is_forgotten_but_never_what_was_not_sent() throws Exception {
        add(Wire.TOAST, 3);
        queue.seen(99);
        assertEquals(3, queue.framesAfter(0).size());
        queue.seen(2);
        assertEquals(1, queue.framesAfter(0).size());
        queue.seen(99);
        assertFalse(queue.hasAfter(0));
    }

    @Test
    public void window_changes_become_one_until_they_are_sent() throws Exception {
        queue.addWindows(1);
        queue.addWindows(2);
        assertEquals(1, queue.framesAfter(0).size());
        queue.addWindows(3);
        List<byte[]> frames = queue.framesAfter(0);
        assertEquals(2, frames.size());
        assertEquals(2, changes(frames.get(0)));
        assertEquals(1, changes(frames.get(1)));
    }

    private void add(int op, int times) {
        for (int i = 0; i < times; i++) {
            queue.add(op, 0, new ByteWriter().str("x"));
        }
    }

    private static int op(byte[] frame) throws Exception {
        return read(frame).op;
    }

    private static long seq(byte[] frame) throws Exception {
        return new ByteReader(read(frame).payload).uv();
    }

    private static long changes(byte[] frame) throws Exception {
        return Host.body(read(frame)).uv();
    }

    private static Frame read(byte[] frame) throws Exception {
        return Frame.read(new ByteArrayInputStream(frame), Wire.MAX_FRAME_TO_HOST);
    }
}
