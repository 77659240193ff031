package android.util;

/** Stands before the framework's class of this name on the tests' class path, for the same reason as SystemProperties. */
public final class Log {
    private Log() {
    }

    public static boolean isLoggable(String tag, int level) {
        return false;
    }

    public static int v(String tag, String text) {
        return 0;
    }

    public static int d(String tag, String text) {
        return 0;
    }

    public static int i(String tag, String text) {
        return 0;
    }

    public static int w(String tag, String text) {
        return 0;
    }

    public static int w(String tag, String text, Throwable why) {
        return 0;
    }

    public static int e(String tag, String text) {
        return 0;
    }

    public static int e(String tag, String text, Throwable why) {
        return 0;
    }

    public static int wtf(String tag, String text) {
        throw new AssertionError(text);
    }
}
