package androidx.test.platform.app;

import android.app.Instrumentation;
import android.os.Bundle;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public final class InstrumentationRegistry {
    private static volatile Instrumentation instance;
    private static volatile Bundle arguments;

    private InstrumentationRegistry() {
    }

    public static Instrumentation getInstrumentation() {
        if (instance == null) {
            throw new IllegalStateException("no instrumentation is registered");
        }
        return instance;
    }

    public static Bundle getArguments() {
        return new Bundle(arguments);
    }

    public static void registerInstance(Instrumentation instrumentation, Bundle bundle) {
        instance = instrumentation;
        arguments = bundle;
    }
}
