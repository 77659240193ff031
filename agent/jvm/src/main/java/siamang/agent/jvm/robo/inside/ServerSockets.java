package siamang.agent.jvm.robo.inside;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.net.ServerSocket;
import java.net.SocketImpl;
import java.util.ArrayList;
import java.util.List;

/** Closes the ports that a dead process of the app left open, as the kernel of a phone does. */
final class ServerSockets {
    private static final List<WeakReference<SocketImpl>> OPEN = new ArrayList<>();

    private ServerSockets() {
    }

    /** Once in a JVM. */
    static void watch() {
        try {
            Method create = SocketImpl.class.getDeclaredMethod("createPlatformSocketImpl", boolean.class);
            create.setAccessible(true);
            ServerSocket.setSocketFactory(() -> {
                try {
                    SocketImpl socket = (SocketImpl) create.invoke(null, true);
                    synchronized (OPEN) {
                        OPEN.add(new WeakReference<>(socket));
                    }
                    return socket;
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            });
        } catch (ReflectiveOperationException | IOException e) {
            throw new IllegalStateException("this Java hides its sockets", e);
        }
    }

    static void closeAll() {
        synchronized (OPEN) {
            for (WeakReference<SocketImpl> reference : OPEN) {
                SocketImpl socket = reference.get();
                try {
                    Method close = SocketImpl.class.getDeclaredMethod("close");
                    close.setAccessible(true);
                    if (socket != null) {
                        close.invoke(socket);
                    }
                } catch (ReflectiveOperationException e) {
                    JvmBackend.get().events.warn("a port of the last process stays open", String.valueOf(e));
                }
            }
            OPEN.clear();
        }
    }
}
