package siamang.agent.core;

/** A request on its way through the worker. The watchdog can take it away; the worker then learns it at the next check. */
final class Turn {
    final Request request;
    /** Null unless the request is a STEP or RESET. */
    final StepRequest step;
    /** Where the answer goes; a repeated step id sends it to the newer request. Guarded by the session. */
    Connection connection;
    int replyId;
    /** Guarded by the session; 0 while it waits. */
    long deadlineAt;
    private volatile boolean taken;

    Turn(Request request, StepRequest step, Connection connection) {
        this.request = request;
        this.step = step;
        this.connection = connection;
        this.replyId = request.id;
    }

    /** Called before everything that acts, so that a worker that was given up does not touch the device any more. */
    void check() throws AgentException {
        if (taken || Thread.currentThread().isInterrupted()) {
            throw new AgentException(AgentException.TIMEOUT, "the deadline passed");
        }
    }

    void take() {
        taken = true;
    }
}
