package siamang.agent.device;

import android.net.LocalServerSocket;
import android.net.LocalSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import siamang.agent.core.Log;
import siamang.agent.core.Peer;

/** Listens on an abstract socket. Apps can see its name, so only adbd's users get further than accept. */
final class LocalListener implements Peer.Listener {
    private static final int ROOT = 0;
    private static final int SHELL = 2000;

    private final LocalServerSocket socket;

    LocalListener(String name) throws IOException {
        socket = new LocalServerSocket(name);
    }

    @Override
    public Peer accept() throws IOException {
        while (true) {
            LocalPeer peer = new LocalPeer(socket.accept());
            if (peer.mayTalk()) {
                return peer;
            }
            peer.close();
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            Log.note("closing the listener", e);
        }
    }

    private static final class LocalPeer implements Peer {
        private final LocalSocket socket;

        LocalPeer(LocalSocket socket) {
            this.socket = socket;
        }

        /** A peer that is gone before it could be asked must not end the listener. */
        boolean mayTalk() {
            try {
                int uid = socket.getPeerCredentials().getUid();
                if (uid == ROOT || uid == SHELL) {
                    return true;
                }
                Log.note("refused a connection of uid " + uid);
            } catch (IOException e) {
                Log.note("refused a connection of nobody knows whom", e);
            }
            return false;
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

        /** Closing alone does not wake a thread that reads on an abstract socket; shutting it down does. */
        @Override
        public void close() {
            try {
                socket.shutdownInput();
                socket.shutdownOutput();
            } catch (IOException e) {
                Log.note("shutting a socket down", e);
            }
            try {
                socket.close();
            } catch (IOException e) {
                Log.note("closing a socket", e);
            }
        }
    }
}
