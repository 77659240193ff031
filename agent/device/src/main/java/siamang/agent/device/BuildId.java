package siamang.agent.device;

/** What HELLO says about this build. The host checks the jar itself by its hash, so this only needs to name the source. */
final class BuildId {
    static final String VALUE = "siamang-agent 1.0";

    private BuildId() {
    }
}
