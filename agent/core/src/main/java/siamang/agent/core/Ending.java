package siamang.agent.core;

/** Why an agent ends, with the exit code that a shell sees. */
public enum Ending {
    BYE(0),
    NO_RESUME(3),
    NO_HOST(4),
    WRONG_TOKENS(5),
    DEVICE_DEAD(6),
    LISTENER_FAILED(7);

    public final int exitCode;

    Ending(int exitCode) {
        this.exitCode = exitCode;
    }
}
