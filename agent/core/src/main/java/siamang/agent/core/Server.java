package siamang.agent.core;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.Random;

/** Accepts hosts, checks their token and keeps the one session. */
public final class Server {
    private static final long TICK_MS = 250;
    private static final long DRAIN_MS = 1_000;
    private static final long UNDO_MS = 15_000;

    private final Backend backend;
    private final Clock clock;
    private final byte[] token;
    private final String build;
    private final Session session;
    private final Random random;
    private final long undoMs;
    private int handshakes;
    private int wrongTokens;

    /** {@code clock} is real time, also for a backend whose own clock is virtual. */
    public Server(Backend backend, Clock clock, byte[] token, String build) {
        this(backend, clock, token, build, new SecureRandom(), UNDO_MS);
    }

    /** For tests: {@code random} gives the session id first and then the nonces, {@code undoMs} is what the undo may take. */
    Server(Backend backend, Clock clock, byte[] token, String build, Random random, long undoMs) {
        this.backend = backend;
        this.clock = clock;
        this.token = token.clone();
        this.build = build;
        this.random = random;
        this.undoMs = undoMs;
        this.session = new Session(random.nextLong(), new Desk(backend, clock), clock, backend.clock());
    }

    /** What the backend reports to. */
    public EventSink events() {
        return new EventWriter(session);
    }

    /** Serves until the session ends; then undoes what was changed. */
    public Ending serve(final Peer.Listener listener) throws InterruptedException {
        start("siamang-accept", new Runnable() {
            @Override
            public void run() {
                acceptAll(listener);
            }
        });
        start("siamang-tick", new Runnable() {
            @Override
            public void run() {
                tickAll();
            }
        });
        Ending ending = session.awaitEnd();
        undo();
        Connection last = session.leave();
        if (last != null) {
            last.drain(DRAIN_MS);
        }
        listener.close();
        return ending;
    }

    /** Looks at the clock once; the tests call it instead of waiting. */
    void tick() {
        session.tick();
    }

    /** Bounded: a device that hangs must not keep the agent alive, and the journal is on disk. The host hears of it. */
    private void undo() throws InterruptedException {
        final String[] stays = {"it takes longer than " + undoMs + " ms"};
        Thread closing = start("siamang-undo", new Runnable() {
            @Override
            public void run() {
                String why = close();
                synchronized (stays) {
                    stays[0] = why;
                }
            }
        });
        closing.join(undoMs);
        synchronized (stays) {
            if (stays[0] != null) {
                events().warn(EventSink.NOT_PUT_BACK, stays[0]);
            }
        }
    }

    /** Null if it went well. */
    private String close() {
        try {
            backend.close();
            return null;
        } catch (RuntimeException | LinkageError e) {
            return e.toString();
        }
    }

    boolean isCut() {
        return session.isCut();
    }

    private void acceptAll(Peer.Listener listener) {
        try {
            while (true) {
                final Peer peer = listener.accept();
                if (!enterHandshake()) {
                    peer.close();
                    continue;
                }
                start("siamang-reader", new Runnable() {
                    @Override
                    public void run() {
                        meet(peer);
                    }
                });
            }
        } catch (IOException e) {
            Log.note("no longer listening: " + e.getMessage());
            session.end(Ending.LISTENER_FAILED);
        }
    }

    private void tickAll() {
        try {
            while (true) {
                // Real time on purpose: with virtual time nobody may turn the clock while the app hangs.
                Thread.sleep(TICK_MS);
                session.tick();
            }
        } catch (InterruptedException e) {
            Log.note("the watchdog was interrupted");
        }
    }

    private void meet(Peer peer) {
        Connection connection = null;
        try {
            connection = shakeHands(peer);
        } catch (IOException e) {
            Log.note("a handshake ended: " + e.getMessage());
        } catch (AgentException e) {
            Log.note("a handshake failed: " + e.getMessage());
        } finally {
            leaveHandshake();
            if (connection == null) {
                peer.close();
            }
        }
        if (connection != null) {
            connection.readAll();
        }
    }

    private Connection shakeHands(Peer peer) throws IOException, AgentException {
        byte[] nonce = new byte[Wire.NONCE_BYTES];
        random.nextBytes(nonce);
        peer.out().write(0);
        peer.out().write(Handshake.hello(backend.facts(), build, nonce));
        peer.out().flush();
        peer.readTimeout((int) Wire.HANDSHAKE_MS);
        Frame frame = Frame.read(peer.in(), Wire.MAX_FRAME_BEFORE_AUTH);
        try {
            Request request = Request.read(frame);
            if (request.op != Wire.AUTH && request.op != Wire.RESUME) {
                throw new AgentException(AgentException.AUTH, "the first request must be AUTH or RESUME");
            }
            Handshake hello = Handshake.read(request);
            if (hello.major != Wire.MAJOR) {
                throw new AgentException(AgentException.VERSION, "this agent speaks version " + Wire.MAJOR + ", the host " + hello.major);
            }
            if (!hello.provesToken(token, nonce)) {
                countWrongToken();
                throw new AgentException(AgentException.AUTH, "wrong token");
            }
            peer.readTimeout(0);
            Connection connection = new Connection(peer, session, backend.clock());
            byte[] agentMac = Handshake.agentMac(token, nonce, hello.hostNonce);
            if (request.op == Wire.AUTH) {
                session.claim(connection, request, agentMac);
            } else {
                session.resume(connection, request, hello, agentMac);
            }
            connection.startWriter(hello.maxFrame);
            return connection;
        } catch (AgentException e) {
            peer.out().write(Reply.error(frame.op, e).frame(frame.id, 0, backend.clock().now(), Wire.MIN_FRAME_TO_HOST));
            peer.out().flush();
            throw e;
        }
    }

    private synchronized boolean enterHandshake() {
        if (handshakes >= Wire.MAX_HANDSHAKES) {
            return false;
        }
        handshakes++;
        return true;
    }

    private synchronized void leaveHandshake() {
        handshakes--;
    }

    private synchronized void countWrongToken() {
        wrongTokens++;
        if (wrongTokens >= Wire.MAX_WRONG_TOKENS) {
            session.end(Ending.WRONG_TOKENS);
        }
    }

    private static Thread start(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
