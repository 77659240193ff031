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
        if (why.getClass().getSimpleName().startsWith("Dead")) {
            // A service of the system died, and with it what we hold of it; only another agent finds the new one.
            return new AgentException(AgentException.NOT_CONNECTED, "the system was started anew", "could not " + what + ": " + why);
        }
        return new AgentException(AgentException.INTERNAL, "could not " + what, String.valueOf(why));
    }
}
