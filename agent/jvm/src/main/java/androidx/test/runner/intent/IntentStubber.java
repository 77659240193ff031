package androidx.test.runner.intent;

import android.app.Instrumentation;
import android.content.Intent;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public interface IntentStubber {
    Instrumentation.ActivityResult getActivityResultForIntent(Intent intent);
}
