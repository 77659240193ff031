package androidx.test.runner.lifecycle;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public final class ActivityLifecycleMonitorRegistry {
    private static volatile ActivityLifecycleMonitor instance;

    private ActivityLifecycleMonitorRegistry() {
    }

    public static ActivityLifecycleMonitor getInstance() {
        if (instance == null) {
            throw new IllegalStateException("no lifecycle monitor is registered");
        }
        return instance;
    }

    public static void registerInstance(ActivityLifecycleMonitor monitor) {
        instance = monitor;
    }
}
