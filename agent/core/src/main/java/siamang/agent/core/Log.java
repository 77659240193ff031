package siamang.agent.core;

/** Notes for a person who looks at the agent's stderr; nothing that the host must know goes only here. */
public final class Log {
    private Log() {
    }

    public static void note(String text) {
        System.err.println("siamang: " + text);
    }

    public static void note(String text, Throwable why) {
        note(text + ": " + why);
    }
}
