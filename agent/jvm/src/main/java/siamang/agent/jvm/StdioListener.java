package siamang.agent.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import siamang.agent.core.Peer;

/**
 * The one host at the other end of stdin and stdout. Inside the fence there is no network, and a pipe that was there
 * before the fence closed is the one way out.
 */
final class StdioListener implements Peer.Listener {
    private final InputStream in;
    private final OutputStream out;
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean taken;

    StdioListener(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    @Override
    public Peer accept() throws IOException {
        synchronized (this) {
            if (!taken) {
                taken = true;
                return new Pipe();
            }
        }
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new IOException("there is one host only");
    }

    @Override
    public void close() {
        closed.countDown();
    }

    private final class Pipe implements Peer {
        @Override
        public InputStream in() {
            return in;
        }

        @Override
        public OutputStream out() {
            return out;
        }

        /** A pipe has none; if the host dies, reading ends. */
        @Override
        public void readTimeout(int ms) {
        }

        /** The host is gone or done: without it this process has no purpose, so the session may end at once. */
        @Override
        public void close() {
            StdioListener.this.close();
        }
    }
}
