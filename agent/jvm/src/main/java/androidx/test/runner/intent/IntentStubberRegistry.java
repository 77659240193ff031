package androidx.test.runner.intent;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public final class IntentStubberRegistry {
    private IntentStubberRegistry() {
    }

    public static boolean isLoaded() {
        return false;
    }

    public static IntentStubber getInstance() {
        return null;
    }
}
