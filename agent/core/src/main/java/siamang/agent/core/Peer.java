package siamang.agent.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A byte stream to a host: an abstract socket on a phone, TCP on a JVM. */
public interface Peer {
    InputStream in() throws IOException;

    OutputStream out() throws IOException;

    /** 0 waits for ever. */
    void readTimeout(int ms) throws IOException;

    /** May be called twice and from any thread; a blocked read or write then ends. */
    void close();

    /** Where hosts connect. */
    interface Listener {
        /** Throws only if nobody can connect any more: the agent then ends. */
        Peer accept() throws IOException;

        void close();
    }
}
