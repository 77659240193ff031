package siamang.agent.core;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** One stream to a host: a thread that reads, and after the handshake one that writes. */
final class Connection {
    private final Peer peer;
    private final Session session;
    private final Clock device;
    /** Guarded by the session, as are the fields below. */
    private final ArrayDeque<Out> outbox = new ArrayDeque<Out>();
    private long sentSeq;
    private int maxFrame = Wire.MIN_FRAME_TO_HOST;
    private boolean closed;
    private boolean closeWhenEmpty;
    private boolean writing;

    Connection(Peer peer, Session session, Clock device) {
        this.peer = peer;
        this.session = session;
        this.device = device;
    }

    /** Reads until the stream ends or is wrong. */
    void readAll() {
        try {
            while (true) {
                Frame frame = Frame.read(peer.in(), Wire.MAX_FRAME_TO_AGENT);
                try {
                    session.handle(this, Request.read(frame));
                } catch (ProtocolException e) {
                    if (e.isFatal()) {
                        throw e;
                    }
                    refuse(frame, e);
                } catch (AgentException e) {
                    refuse(frame, e);
                }
            }
        } catch (ProtocolException e) {
            Log.note("closing a connection: " + e.getMessage());
        } catch (IOException e) {
            Log.note("a connection ended: " + e.getMessage());
        } finally {
            close();
            session.cut(this);
        }
    }

    void startWriter(int hostMaxFrame) {
        synchronized (session) {
            maxFrame = hostMaxFrame;
            writing = true;
        }
        Thread writer = new Thread("siamang-writer") {
            @Override
            public void run() {
                writeAll();
            }
        };
        writer.setDaemon(true);
        writer.start();
    }

    void reply(int id, Reply reply) {
        synchronized (session) {
            if (!closed) {
                outbox.add(new Out(id, reply));
                session.notifyAll();
            }
        }
    }

    void sentUpTo(long seq) {
        synchronized (session) {
            sentSeq = seq;
        }
    }

    void close() {
        synchronized (session) {
            closed = true;
            session.notifyAll();
        }
        peer.close();
    }

    /** Lets what is in the outbox go out, but gives a stuck stream only {@code ms} of real time. */
    void drain(long ms) throws InterruptedException {
        long end = System.nanoTime() + ms * 1_000_000;
        synchronized (session) {
            closeWhenEmpty = true;
            session.notifyAll();
            for (long left = ms; writing && left > 0; left = (end - System.nanoTime()) / 1_000_000) {
                session.wait(left);
            }
        }
        close();
    }

    private void refuse(Frame frame, AgentException e) {
        reply(frame.id, Reply.error(frame.op, e));
    }

    private void writeAll() {
        try {
            List<byte[]> batch;
            while ((batch = nextBatch()) != null) {
                for (byte[] frame : batch) {
                    peer.out().write(frame);
                }
                peer.out().flush();
            }
        } catch (IOException e) {
            Log.note("could not write: " + e.getMessage());
        } catch (InterruptedException e) {
            Log.note("the writer was interrupted");
        } finally {
            synchronized (session) {
                writing = false;
                session.notifyAll();
            }
            close();
            session.cut(this);
        }
    }

    /** Events first: an answer's last_seq promises that all events up to it are already on the stream. */
    private List<byte[]> nextBatch() throws InterruptedException {
        synchronized (session) {
            while (!closed && !closeWhenEmpty && outbox.isEmpty() && !session.events().hasAfter(sentSeq)) {
                session.wait();
            }
            if (closed || closeWhenEmpty && outbox.isEmpty() && !session.events().hasAfter(sentSeq)) {
                return null;
            }
            EventQueue events = session.events();
            List<byte[]> batch = new ArrayList<byte[]>(events.framesAfter(sentSeq));
            sentSeq = events.lastSeq();
            for (Out out : outbox) {
                batch.add(out.reply.frame(out.id, sentSeq, device.now(), maxFrame));
            }
            outbox.clear();
            return batch;
        }
    }

    private static final class Out {
        final int id;
        final Reply reply;

        Out(int id, Reply reply) {
            this.id = id;
            this.reply = reply;
        }
    }
}
