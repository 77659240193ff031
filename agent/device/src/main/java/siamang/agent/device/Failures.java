package siamang.agent.device;

import siamang.agent.core.AgentException;

/** Turns what the framework throws into what the host understands. */
final class Failures {
    private Failures() {
    }

    static AgentException of(String what, Throwable why) {
        if (why instanceof AgentException) {
            return (AgentException) why;
        }
        if (why instanceof SecurityException) {
            return new AgentException(AgentException.UNSUPPORTED, "the system does not let the shell " + what, String.valueOf(why.getMessage()));
        }
        return new AgentException(AgentException.INTERNAL, "could not " + what, String.valueOf(why));
    }
}
