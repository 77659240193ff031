package siamang.agent.core;

/** What a backend sees. */
public interface Eyes {
    /** The windows of this moment, topmost first, with fresh roots. */
    Screen screen(Config config) throws AgentException, InterruptedException;

    /** The node that has the input focus, or null. */
    Node focused() throws AgentException;

    Top top() throws AgentException;

    /** Notes the moment before input, so that a reaction during a gesture counts. */
    void arm();

    Settled settle(Pace pace) throws AgentException, InterruptedException;

    Shot shot(int format, int percent) throws AgentException;
}
