package siamang.agent.core;

/** The device's uptime. A backend with virtual time brings its own, and so do the tests: nothing in core sleeps by itself. */
public interface Clock {
    long now();

    /** For measuring how long something took; its zero means nothing. */
    long nanos();

    void pause(long ms) throws InterruptedException;

    /** Waits on a monitor that the caller holds, until it is notified or {@code ms} have passed. */
    void waitOn(Object monitor, long ms) throws InterruptedException;
}
