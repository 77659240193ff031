package siamang.conformance;

import android.app.Application;

/** What the process remembers, and the order in which its parts came to life. */
public final class App extends Application {
    /** Life-cycle calls since the process began or since somebody cleared it. */
    static final StringBuilder LOG = new StringBuilder();
    /** What was there when the application was created. */
    static String beginning = "";

    static void log(String what) {
        LOG.append(LOG.length() == 0 ? "" : " ").append(what);
    }

    @Override
    public void onCreate() {
        super.onCreate();
        beginning = FirstProvider.created ? "provider before application" : "application before provider";
        if (getSharedPreferences("start", MODE_PRIVATE).getBoolean("exit", false)) {
            System.exit(7);
        }
    }
}
