package siamang.agent.device;

import java.io.IOException;
import siamang.agent.core.AgentException;
import siamang.agent.core.Shot;

/** The system's own program for screenshots, for phones whose framework gives none without an app around it. */
final class Screencap {
    private static final int MAX_BYTES = 15 << 20;
    /** A PNG begins with 8 bytes of its own, then the length and the name of its first chunk; that begins with the size. */
    private static final int WIDTH_AT = 16;
    private static final int HEIGHT_AT = 20;

    private Screencap() {
    }

    static Shot shot(int format, int percent) throws AgentException {
        if (format != Shot.PNG || percent != 100) {
            throw new AgentException(AgentException.UNSUPPORTED, "the system gave no screenshot", "a whole PNG may work");
        }
        try {
            return read(Exec.bytes(MAX_BYTES, "screencap", "-p"));
        } catch (IOException e) {
            throw new AgentException(AgentException.UNSUPPORTED, "the system gave no screenshot", String.valueOf(e.getMessage()));
        }
    }

    static Shot read(byte[] png) throws AgentException {
        if (png.length < HEIGHT_AT + 4 || (png[0] & 0xff) != 0x89 || png[1] != 'P' || png[2] != 'N' || png[3] != 'G') {
            throw new AgentException(AgentException.UNSUPPORTED, "the system gave no screenshot", "screencap printed " + png.length + " bytes");
        }
        return new Shot(Shot.PNG, number(png, WIDTH_AT), number(png, HEIGHT_AT), png);
    }

    private static int number(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24 | (bytes[at + 1] & 0xff) << 16 | (bytes[at + 2] & 0xff) << 8 | bytes[at + 3] & 0xff;
    }
}
