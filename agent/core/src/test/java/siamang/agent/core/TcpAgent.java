package siamang.agent.core;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;

/**
 * The real core over TCP with a device made up, for a host to be tried against: reads the token from stdin, prints
 * "listening PORT" and serves one session.
 */
public final class TcpAgent {
    private TcpAgent() {
    }

    public static void main(String[] args) throws Exception {
        byte[] token = Handshake.parseToken(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)).readLine());
        Clock clock = new RealClock();
        FakeBackend backend = new FakeBackend(clock);
        Server server = new Server(backend, clock, token, "tcp-agent");
        backend.open(server.events());
        final ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        System.out.println("listening " + socket.getLocalPort());
        System.out.flush();
        Ending ending = server.serve(new Peer.Listener() {
            @Override
            public Peer accept() throws IOException {
                return new SocketPeer(socket.accept());
            }

            @Override
            public void close() {
                try {
                    socket.close();
                } catch (IOException e) {
                    Log.note("closing the listener", e);
                }
            }
        });
        System.exit(ending.exitCode);
    }

    private static final class RealClock implements Clock {
        @Override
        public long now() {
            return System.nanoTime() / 1_000_000;
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void pause(long ms) throws InterruptedException {
            Thread.sleep(ms);
        }

        @Override
        public void waitOn(Object monitor, long ms) throws InterruptedException {
            monitor.wait(ms);
        }
    }
}
