package androidx.test.runner.intent;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public interface IntentMonitor {
    void addIntentCallback(IntentCallback callback);

    void removeIntentCallback(IntentCallback callback);
}
