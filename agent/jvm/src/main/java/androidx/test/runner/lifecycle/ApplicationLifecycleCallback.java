package androidx.test.runner.lifecycle;

import android.app.Application;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public interface ApplicationLifecycleCallback {
    void onApplicationLifecycleChanged(Application application, ApplicationStage stage);
}
