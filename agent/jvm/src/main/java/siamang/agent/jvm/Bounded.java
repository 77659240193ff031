package siamang.agent.jvm;

import java.io.IOException;
import java.io.OutputStream;

/** Lets so much through and no more: an app that prints a gigabyte costs the host nothing. */
final class Bounded extends OutputStream {
    private static final long LIMIT = 1 << 20;

    private final OutputStream next;
    private long left = LIMIT;

    Bounded(OutputStream next) {
        this.next = next;
    }

    @Override
    public synchronized void write(int value) throws IOException {
        if (left > 0) {
            left--;
            next.write(value);
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        int count = (int) Math.min(left, length);
        left -= count;
        next.write(bytes, from, count);
    }

    @Override
    public void flush() throws IOException {
        next.flush();
    }
}
