package androidx.test.runner.intent;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public final class IntentMonitorRegistry {
    private static volatile IntentMonitor instance;

    private IntentMonitorRegistry() {
    }

    public static IntentMonitor getInstance() {
        return instance;
    }

    public static void registerInstance(IntentMonitor monitor) {
        instance = monitor;
    }
}
