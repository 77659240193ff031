package siamang.agent.core;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Events that the host has not yet said to have seen. Bounded, and what is dropped is chosen by what it is worth. Not
 * thread-safe: the session's monitor guards it, so that an answer and the events before it are taken together.
 */
final class EventQueue {
    private final List<Event> kept = new ArrayList<Event>();
    private long lastSeq;
    private long sentSeq;
    private long dropped;
    private long droppedFailures;

    void add(int op, long uptimeMs, ByteWriter body) {
        if (kept.size() >= Wire.MAX_EVENTS && !makeRoom(op)) {
            return;
        }
        lastSeq++;
        kept.add(new Event(op, lastSeq, uptimeMs, body.toBytes()));
    }

    /** Window changes come in floods: those that were not sent yet become one. */
    void addWindows(long uptimeMs) {
        Event last = kept.isEmpty() ? null : kept.get(kept.size() - 1);
        if (last != null && last.op == Wire.WINDOWS && last.seq > sentSeq) {
            last.changes++;
            last.body = new ByteWriter(8).uv(last.changes).toBytes();
        } else {
            add(Wire.WINDOWS, uptimeMs, new ByteWriter(8).uv(1));
        }
    }

    void seen(long seq) {
        while (!kept.isEmpty() && kept.get(0).seq <= Math.min(seq, sentSeq)) {
            kept.remove(0);
        }
    }

    boolean hasAfter(long seq) {
        return !kept.isEmpty() && kept.get(kept.size() - 1).seq > seq;
    }

    /** The frames of all events after {@code seq}, oldest first; they count as sent. */
    List<byte[]> framesAfter(long seq) {
        List<byte[]> frames = new ArrayList<byte[]>();
        for (Event event : kept) {
            if (event.seq > seq) {
                frames.add(event.frame());
            }
        }
        sentSeq = Math.max(sentSeq, lastSeq);
        return frames;
    }

    long lastSeq() {
        return lastSeq;
    }

    long dropped() {
        return dropped;
    }

    long droppedFailures() {
        return droppedFailures;
    }

    private boolean makeRoom(int op) {
        if (dropOldest(true) || dropOldest(false)) {
            dropped++;
            return true;
        }
        if (isFailure(op)) {
            droppedFailures++;
        } else {
            dropped++;
        }
        return false;
    }

    private boolean dropOldest(boolean onlyCheap) {
        for (Iterator<Event> i = kept.iterator(); i.hasNext(); ) {
            int op = i.next().op;
            if (onlyCheap ? op == Wire.WINDOWS || op == Wire.WARN : !isFailure(op)) {
                i.remove();
                return true;
            }
        }
        return false;
    }

    private static boolean isFailure(int op) {
        return op == Wire.CRASH || op == Wire.ANR;
    }

    private static final class Event {
        final int op;
        final long seq;
        final long uptimeMs;
        byte[] body;
        long changes = 1;

        Event(int op, long seq, long uptimeMs, byte[] body) {
            this.op = op;
            this.seq = seq;
            this.uptimeMs = uptimeMs;
            this.body = body;
        }

        byte[] frame() {
            ByteWriter out = new ByteWriter(body.length + 20).uv(seq).uv(uptimeMs).raw(body);
            return new Frame(Wire.EVENT, op, 0, out.toBytes()).toBytes();
        }
    }
}
