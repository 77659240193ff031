package siamang.agent.core;

/** The app's main thread did not answer in the time that the system gives it. Unchecked, as any look at a node can meet it. */
public final class HungException extends RuntimeException {
    public HungException(String what, long ms) {
        super("asked " + what + ", it was silent for " + ms + " ms");
    }
}
