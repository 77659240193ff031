package androidx.test.internal.runner.lifecycle;

import android.app.Application;
import androidx.test.runner.lifecycle.ApplicationLifecycleCallback;
import androidx.test.runner.lifecycle.ApplicationLifecycleMonitor;
import androidx.test.runner.lifecycle.ApplicationStage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public final class ApplicationLifecycleMonitorImpl implements ApplicationLifecycleMonitor {
    private final List<ApplicationLifecycleCallback> callbacks = new CopyOnWriteArrayList<>();

    @Override
    public void addLifecycleCallback(ApplicationLifecycleCallback callback) {
        callbacks.add(callback);
    }

    @Override
    public void removeLifecycleCallback(ApplicationLifecycleCallback callback) {
        callbacks.remove(callback);
    }

    public void signalLifecycleChange(Application application, ApplicationStage stage) {
        for (ApplicationLifecycleCallback callback : callbacks) {
            callback.onApplicationLifecycleChanged(application, stage);
        }
    }
}
