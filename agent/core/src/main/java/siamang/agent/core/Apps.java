package siamang.agent.core;

/** What a backend does with apps. Names were checked by {@link Names}; they are data and never part of a shell line. */
public interface Apps {
    int INSTALLED = 1;
    int ENABLED = 2;
    int RUNNING = 4;

    /** Starts an activity, the launcher's if {@code activity} is empty, and returns its class. */
    String start(String pkg, String activity) throws AgentException, InterruptedException;

    /** Opens an address in this app and no other. */
    void open(String pkg, String address) throws AgentException, InterruptedException;

    /** Returns when no process of the package is left. */
    void stop(String pkg) throws AgentException, InterruptedException;

    void clear(String pkg) throws AgentException, InterruptedException;

    /** Grants one permission, or all that the app asks for if {@code permission} is empty; returns how many. */
    int grant(String pkg, String permission) throws AgentException, InterruptedException;

    void revoke(String pkg, String permission) throws AgentException, InterruptedException;

    int state(String pkg) throws AgentException;

    /** The system kills the process in the background, and the user comes back to what it saved. */
    void recall(String pkg) throws AgentException, InterruptedException;

    /** A copy of the app's data as they are now, under a name; one of that name gives way. Returns its bytes. */
    long keep(String pkg, String snapshot) throws AgentException, InterruptedException;

    /** The app is stopped; its data become those of the snapshot. */
    void restore(String pkg, String snapshot) throws AgentException, InterruptedException;
}
