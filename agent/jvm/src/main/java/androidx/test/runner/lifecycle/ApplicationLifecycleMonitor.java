package androidx.test.runner.lifecycle;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public interface ApplicationLifecycleMonitor {
    void addLifecycleCallback(ApplicationLifecycleCallback callback);

    void removeLifecycleCallback(ApplicationLifecycleCallback callback);
}
