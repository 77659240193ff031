package siamang.agent.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** A peer over TCP on 127.0.0.1, for a JVM. A phone never listens on TCP: every app there could connect. */
public final class SocketPeer implements Peer {
    private final Socket socket;

    public SocketPeer(Socket socket) {
        this.socket = socket;
        try {
            // An answer is one write; waiting for more would cost 40 ms a step.
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            Log.note("a peer was gone before it was met", e);
        }
    }

    @Override
    public InputStream in() throws IOException {
        return socket.getInputStream();
    }

    @Override
    public OutputStream out() throws IOException {
        return socket.getOutputStream();
    }

    @Override
    public void readTimeout(int ms) throws IOException {
        socket.setSoTimeout(ms);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            Log.note("closing a socket", e);
        }
    }
}
