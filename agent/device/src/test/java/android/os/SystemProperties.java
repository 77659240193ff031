package android.os;

/**
 * Stands before the framework's class of this name on the tests' class path, which asks native code. With it the rest of
 * the real framework runs on a JVM as far as these tests need it.
 */
public final class SystemProperties {
    private SystemProperties() {
    }

    public static String get(String key) {
        return get(key, "");
    }

    public static String get(String key, String def) {
        return key.equals("ro.build.version.sdk") ? "34" : key.contains("abilist") ? "arm64-v8a" : key.contains("codename") ? "REL" : def;
    }

    public static int getInt(String key, int def) {
        return key.equals("ro.build.version.sdk") ? 34 : def;
    }

    public static long getLong(String key, long def) {
        return def;
    }

    public static boolean getBoolean(String key, boolean def) {
        return def;
    }
}
