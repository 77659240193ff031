package androidx.test.runner.lifecycle;

import android.app.Activity;
import java.util.Collection;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public interface ActivityLifecycleMonitor {
    void addLifecycleCallback(ActivityLifecycleCallback callback);

    void removeLifecycleCallback(ActivityLifecycleCallback callback);

    Stage getLifecycleStageOf(Activity activity);

    Collection<Activity> getActivitiesInStage(Stage stage);
}
