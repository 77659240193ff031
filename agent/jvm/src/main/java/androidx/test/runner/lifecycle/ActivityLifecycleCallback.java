package androidx.test.runner.lifecycle;

import android.app.Activity;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public interface ActivityLifecycleCallback {
    void onActivityLifecycleChanged(Activity activity, Stage stage);
}
