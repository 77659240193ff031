package androidx.test.runner.lifecycle;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public final class ApplicationLifecycleMonitorRegistry {
    private static volatile ApplicationLifecycleMonitor instance;

    private ApplicationLifecycleMonitorRegistry() {
    }

    public static ApplicationLifecycleMonitor getInstance() {
        if (instance == null) {
            throw new IllegalStateException("no lifecycle monitor is registered");
        }
        return instance;
    }

    public static void registerInstance(ApplicationLifecycleMonitor monitor) {
        instance = monitor;
    }
}
