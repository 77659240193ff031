package siamang.agent.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The host's side, for tests: a server on a loopback socket and connections to it. */
final class Host implements AutoCloseable {
    /** Far more than anything here takes; a test that reaches it hangs, and fails instead. */
    static final int PATIENCE_MS = 20_000;

    final Server server;
    final FakeBackend backend;
    final FakeClock clock = FakeClock.at(1_000_000);
    private final ServerSocket socket;
    private final ExecutorService runner = Executors.newSingleThreadExecutor();
    private final Future<Ending> ending;

    Host(FakeBackend backend, Random random) throws IOException {
        this(backend, random == null ? new SecureRandom() : random, PATIENCE_MS);
    }

    Host(FakeBackend backend, Random random, long undoMs) throws IOException {
        this.backend = backend;
        this.server = new Server(backend, clock, GoldenFrames.TOKEN, GoldenFrames.BUILD, random, undoMs);
        backend.open(server.events());
        this.socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        this.ending = runner.submit(new Callable<Ending>() {
            @Override
            public Ending call() throws Exception {
                return server.serve(new SocketListener(socket));
            }
        });
    }

    Ending ending() throws Exception {
        return ending.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
    }

    boolean ended() {
        return ending.isDone();
    }

    Line connect() throws IOException {
        return new Line(new Socket(socket.getInetAddress(), socket.getLocalPort()));
    }

    /** Connects and authenticates. */
    Line auth() throws Exception {
        Line line = connect();
        line.authenticate(GoldenFrames.TOKEN, Wire.AUTH, 0, 0);
        return line;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        runner.shutdownNow();
    }

    /** One connection as the host sees it. */
    static final class Line implements AutoCloseable {
        final Socket socket;
        final InputStream in;
        final OutputStream out;
        byte[] nonce;
        long session;
        private int ids;
        long seen;

        Line(Socket socket) throws IOException {
            this.socket = socket;
            socket.setSoTimeout(PATIENCE_MS);
            socket.setTcpNoDelay(true);
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        Frame read() throws Exception {
            return Frame.read(in, Wire.MAX_FRAME_TO_HOST);
        }

        Frame hello() throws Exception {
            if (in.read() != 0) {
                throw new IOException("no 0x00 byte");
            }
            Frame frame = read();
            byte[] payload = frame.payload;
            nonce = new byte[Wire.NONCE_BYTES];
            System.arraycopy(payload, payload.length - nonce.length, nonce, 0, nonce.length);
            return frame;
        }

        /** Returns the answer, which is an error if the agent refused. */
        Frame authenticate(byte[] token, int op, long resumeSession, long lastStep) throws Exception {
            hello();
            byte[] hostNonce = GoldenFrames.HOST_NONCE;
            ByteWriter body = new ByteWriter().uv(Wire.MAJOR).uv(Wire.MINOR).raw(hostNonce).raw(Handshake.hostMac(token, nonce, hostNonce));
            body.uv(Wire.MAX_FRAME_TO_HOST);
            if (op == Wire.RESUME) {
                body.u64(resumeSession).uv(lastStep);
            }
            int id = send(op, 0, body);
            Frame answer = answerTo(id);
            if (answer.kind == Wire.OK) {
                ByteReader reader = body(answer);
                session = reader.u64();
            }
            return answer;
        }

        int send(int op, long deadlineMs, ByteWriter body) throws IOException {
            int id = ++ids;
            byte[] payload = new ByteWriter().uv(deadlineMs).uv(seen).append(body).toBytes();
            out.write(new Frame(Wire.REQUEST, op, id, payload).toBytes());
            out.flush();
            return id;
        }

        /** Reads up to the answer; events before it are only counted. */
        Frame answerTo(int id) throws Exception {
            while (true) {
                Frame frame = read();
                if (frame.kind == Wire.EVENT) {
                    seen = Math.max(seen, new ByteReader(frame.payload).uv());
                } else if (frame.id == id) {
                    return frame;
                }
            }
        }

        Frame ask(int op, ByteWriter body) throws Exception {
            return answerTo(send(op, 0, body));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** The payload after the prefix. */
    static ByteReader body(Frame frame) throws ProtocolException {
        ByteReader in = new ByteReader(frame.payload);
        in.uv();
        in.uv();
        return in;
    }

    static int errorCode(Frame frame) throws ProtocolException {
        return frame.kind == Wire.ERROR ? (int) body(frame).uv() : 0;
    }

    /** A STEP with one tap at (150, 150), which {@link FakeBackend#oneButton} has a button at. */
    static ByteWriter tapStep(long step, int want) {
        return new ByteWriter().uv(step).uv(1).u8(1).sv(150).sv(150).u8(0).uv(0).uv(0).uv(0).uv(want).u64(0);
    }

    private static final class SocketListener implements Peer.Listener {
        private final ServerSocket socket;

        SocketListener(ServerSocket socket) {
            this.socket = socket;
        }

        @Override
        public Peer accept() throws IOException {
            return new SocketPeer(socket.accept());
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
