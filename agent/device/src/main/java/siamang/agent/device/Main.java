package siamang.agent.device;

import android.os.Looper;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import siamang.agent.core.AgentException;
import siamang.agent.core.Ending;
import siamang.agent.core.Handshake;
import siamang.agent.core.Server;

/**
 * The agent's entry: {@code CLASSPATH=agent.jar app_process / siamang.agent.device.Main SOCKET JOURNAL [keep-services]}, the
 * token as one line on stdin. Prints "listening SOCKET" when a host can connect, or one line that says why not.
 */
public final class Main {
    private static final int START_FAILED = 2;

    private Main() {
    }

    public static void main(String[] args) {
        int code;
        try {
            code = run(args).exitCode;
        } catch (AgentException e) {
            System.out.println("failed " + e.code() + " " + e.getMessage() + (e.detail().isEmpty() ? "" : ": " + e.detail()));
            code = START_FAILED;
        } catch (Exception e) {
            System.out.println("failed " + AgentException.INTERNAL + " " + e);
            code = START_FAILED;
        } catch (LinkageError e) {
            System.out.println("failed " + AgentException.UNSUPPORTED + " the framework of this phone lacks something: " + e);
            code = START_FAILED;
        }
        // The framework leaves threads behind that would keep the process alive.
        System.exit(code);
    }

    private static Ending run(String[] args) throws Exception {
        if (args.length < 2 || !args[0].matches("[A-Za-z0-9_-]{8,64}")) {
            throw new AgentException(AgentException.MALFORMED, "usage: Main SOCKET JOURNAL [keep-services], token on stdin");
        }
        byte[] token = Handshake.parseToken(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)).readLine());
        Looper.prepareMainLooper();
        boolean keepServices = args.length > 2 && args[2].equals("keep-services");
        Automation automation = Automation.connect(keepServices);
        DeviceBackend backend = new DeviceBackend(automation, new File(args[1]));
        Server server = new Server(backend, backend.clock(), token, BuildId.VALUE);
        backend.open(server.events());
        LocalListener listener = new LocalListener(args[0]);
        System.out.println("listening " + args[0]);
        System.out.flush();
        return server.serve(listener);
    }
}
