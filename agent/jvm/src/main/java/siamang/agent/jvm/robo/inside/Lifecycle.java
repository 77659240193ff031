package siamang.agent.jvm.robo.inside;

/** Runs callbacks as ActivityThread does: what they throw is wrapped in its words, so that stacks look the same as on a phone. */
final class Lifecycle {
    private Lifecycle() {
    }

    static void wrap(String what, Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            throw new RuntimeException(what + ": " + e, e);
        }
    }
}
