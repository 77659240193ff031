package siamang.agent.jvm.robo.inside;

import android.content.ActivityNotFoundException;
import java.io.FileNotFoundException;
import java.util.IllegalFormatException;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tells failures that only this substitute for a phone has from those of the app. */
final class HostFaults {
    private static final String[] PLATFORM = {"android.", "java.", "javax.", "dalvik.", "libcore.", "com.android.", "sun.", "jdk.", "org.robolectric.", "org.json.", "org.apache.http."};
    /** Libraries with names like Android's own, which an app brings along or does without, on a phone, too. */
    private static final String[] BROUGHT_ALONG = {"android.support.", "android.arch.", "com.android.volley.", "com.android.billingclient.", "com.android.installreferrer.",
        "com.android.vending.", "com.android.tools."};

    /** Where the framework speaks to hardware and to services of the phone that a JVM does not have. */
    private static final String[] HARDWARE = {
        "android.telephony.", "android.hardware.", "android.media.", "android.bluetooth.", "android.nfc.", "android.net.wifi.", "android.drm.",
    };
    private static final String[] BETWEEN = {"java.", "jdk.", "sun.", "org.robolectric."};
    /**
     * Shadows that have taken over the framework's own checks: that something is closed, not registered, already there, or
     * not what it may be. An app that fails of them fails of them on phones.
     */
    private static final String[] CHECKING = {
        "org.robolectric.shadows.ImageUtil", "org.robolectric.shadows.NativeInput", "org.robolectric.shadows.ShadowAccountManager",
        "org.robolectric.shadows.ShadowApplicationPackageManager", "org.robolectric.shadows.ShadowArsc", "org.robolectric.shadows.ShadowAudio",
        "org.robolectric.shadows.ShadowBluetooth", "org.robolectric.shadows.ShadowCameraDeviceImpl", "org.robolectric.shadows.ShadowConnectivityManager",
        "org.robolectric.shadows.ShadowContentResolver", "org.robolectric.shadows.ShadowContextImpl", "org.robolectric.shadows.ShadowCookieSyncManager",
        "org.robolectric.shadows.ShadowDebug", "org.robolectric.shadows.ShadowDownloadManager", "org.robolectric.shadows.ShadowFingerprintManager",
        "org.robolectric.shadows.ShadowImageReader", "org.robolectric.shadows.ShadowInstrumentation", "org.robolectric.shadows.ShadowLegacy",
        "org.robolectric.shadows.ShadowLocationManager", "org.robolectric.shadows.ShadowLooper", "org.robolectric.shadows.ShadowMedia",
        "org.robolectric.shadows.ShadowNfcAdapter", "org.robolectric.shadows.ShadowNotificationManager", "org.robolectric.shadows.ShadowOpenGLMatrix",
        "org.robolectric.shadows.ShadowParcel", "org.robolectric.shadows.ShadowPaused", "org.robolectric.shadows.ShadowPixelCopy",
        "org.robolectric.shadows.ShadowPowerManager", "org.robolectric.shadows.ShadowRemoteCallbackList", "org.robolectric.shadows.ShadowShortcutManager",
        "org.robolectric.shadows.ShadowSmsManager", "org.robolectric.shadows.ShadowSurface", "org.robolectric.shadows.ShadowTelecomManager",
        "org.robolectric.shadows.ShadowTrace", "org.robolectric.shadows.ShadowVelocityTracker", "org.robolectric.shadows.ShadowWifiManager",
        "org.robolectric.shadows.ShadowWindow",
    };
    /** How their words begin that no phone says. */
    private static final String[] OF_ITSELF = {"Not implemented", "Don't know what to do", "Unable to", "unable to", "No output stream", "No next track", "Invalid window pointer",
        "Bad cursor window pointer", "Illegal connection pointer", "Invalid prepared statement", "this action is not supported"};
    /** How the JVM says that a method has answered with null. */
    private static final Pattern ANSWER = Pattern.compile("because the return value of \"([^\"(]+)\\(");
    /** How the JVM names a method: what it returns comes first, and is not what lacks it. */
    private static final Pattern METHOD = Pattern.compile("'(?:\\S+ )*?([\\w.$]+)\\.[\\w$<>]+\\(");
    /** From this level on Android's formatter is as strict as the JDK's. */
    private static final int STRICT_FORMATS = 34;

    private HostFaults() {
    }

    /** Why it is the host's, or null if it is the app's. */
    static String reason(Throwable e) {
        return reason(e, () -> JvmBackend.get().manifest.targetSdk());
    }

    static String reason(Throwable e, IntSupplier targetSdk) {
        int depth = 0;
        for (Throwable cause = e; cause != null && depth < 50; cause = cause.getCause(), depth++) {
            String reason = ofOne(cause, targetSdk);
            if (reason != null) {
                return reason;
            }
        }
        return null;
    }

    private static String ofOne(Throwable e, IntSupplier targetSdk) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof UnsatisfiedLinkError) {
            return "native code: " + message;
        }
        boolean missing = e instanceof NoClassDefFoundError || e instanceof ClassNotFoundException || e instanceof NoSuchMethodError
                || e instanceof NoSuchFieldError || e instanceof AbstractMethodError || e instanceof IncompatibleClassChangeError;
        if (missing && namesPlatform(message)) {
            return "a class or member of Android that the JVM does not have: " + message;
        }
        if (e instanceof ClassFormatError || e instanceof VerifyError || e instanceof BootstrapMethodError) {
            return "converted code that the JVM does not take: " + message;
        }
        if (e instanceof ClassCastException && message.matches("class (\\S+) cannot be cast to class \\1 .*")) {
            return "an object of an earlier life of the app: " + message;
        }
        if (e.getClass().getName().endsWith("PackageParserException")) {
            return "an APK that Robolectric cannot read: " + message;
        }
        StackTraceElement[] stack = e.getStackTrace();
        String innermost = stack.length == 0 ? "" : stack[0].getClassName();
        // What a phone's system would throw at the app is thrown by the host, and the app's to bear.
        boolean asOnPhones = e instanceof ActivityNotFoundException || e instanceof FileNotFoundException || e instanceof OutOfMemoryError
                || e instanceof SecurityException;
        if (e.getCause() == null && !asOnPhones && innermost.startsWith("siamang.agent.")) {
            return "a defect of the host: " + e;
        }
        if (e instanceof IllegalFormatException && e.getClass().getSimpleName().equals("IllegalFormatArgumentIndexException")
                && targetSdk.getAsInt() < STRICT_FORMATS) {
            return "a check of the JDK's formatter that Android makes for newer apps only: " + message;
        }
        if (e.getCause() == null && (e instanceof UnsupportedOperationException || e instanceof NullPointerException) && begins(innermost, HARDWARE)) {
            return "hardware that the JVM does not have: " + e.getClass().getSimpleName() + " in " + stack[0];
        }
        // What an effect of the sound hardware tells is copied out of arrays that nobody has filled.
        if (e instanceof IndexOutOfBoundsException && firstOfAndroidOrApp(stack).startsWith("android.media.audiofx.")) {
            return "hardware that the JVM does not have: " + e.getClass().getSimpleName() + " in " + firstOfAndroidOrApp(stack);
        }
        Matcher answer = ANSWER.matcher(message);
        if (e instanceof NullPointerException && answer.find() && begins(answer.group(1), HARDWARE)) {
            return "hardware that the JVM does not have: nothing came from " + answer.group(1);
        }
        boolean plain = e.getClass() == RuntimeException.class || e.getClass() == IllegalStateException.class
                || e.getClass() == IllegalArgumentException.class;
        if (e.getCause() == null && plain && innermost.startsWith("org.robolectric.") && !isAndroidsCheck(innermost, message)) {
            return "a gap of Robolectric: " + e + " in " + stack[0];
        }
        boolean surprising = e instanceof NullPointerException || e instanceof ClassCastException || e instanceof UnsupportedOperationException
                || e instanceof AssertionError || e instanceof IndexOutOfBoundsException;
        if (e.getCause() == null && surprising && innermost.startsWith("org.robolectric.")) {
            return "a gap of Robolectric: " + e.getClass().getSimpleName() + " in " + stack[0];
        }
        return null;
    }

    /** A shadow checks what the framework would have checked, but for those of its words that are about itself. */
    private static boolean isAndroidsCheck(String shadow, String message) {
        return begins(shadow, CHECKING) && !begins(message, OF_ITSELF);
    }

    /** What stands in for the hardware, and how it is called, is between Java and the framework. */
    private static String firstOfAndroidOrApp(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (!begins(frame.getClassName(), BETWEEN)) {
                return frame.getClassName();
            }
        }
        return "";
    }

    private static boolean namesPlatform(String message) {
        Matcher method = METHOD.matcher(message);
        String name = method.find() ? method.group(1) : message.replace('/', '.').replaceFirst("^.*?([a-z]+\\.[A-Za-z0-9_.$]+).*$", "$1");
        return begins(name, PLATFORM) && !begins(name, BROUGHT_ALONG);
    }

    private static boolean begins(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
