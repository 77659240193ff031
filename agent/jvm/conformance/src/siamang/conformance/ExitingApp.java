package siamang.conformance;

import android.app.Application;

/** An application that ends its process whenever it is started. */
public final class ExitingApp extends Application {
    @Override
    public void onCreate() {
        super.onCreate();
        System.exit(0);
    }
}
