package siamang.agent.jvm.robo.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import android.content.ActivityNotFoundException;
import android.content.pm.PackageManager;
import java.io.FileNotFoundException;
import java.util.IllegalFormatException;
import org.junit.Test;

public final class HostFaultsTest {
    @Test
    public void whatHardwareDoesNotAnswerIsTheHosts() {
        Throwable nothing = byTheApp("Cannot load from int array because the return value of \"android.media.audiofx.Visualizer.getCaptureSizeRange()\" is null");
        assertEquals("hardware that the JVM does not have: nothing came from android.media.audiofx.Visualizer.getCaptureSizeRange",
                HostFaults.reason(new RuntimeException("Unable to start activity", nothing)));
    }

    @Test
    public void whatTheAppForgotIsTheApps() {
        for (String forgotten : new String[] {"android.content.Intent.getExtras()", "com.example.android.media.Own.name()"}) {
            assertNull(HostFaults.reason(byTheApp("Cannot invoke \"Object.toString()\" because the return value of \"" + forgotten + "\" is null")));
        }
        assertNull(HostFaults.reason(byTheApp(null)));
    }

    @Test
    public void whatIsCopiedFromASoundEffectIsTheHostsAndWhatTheAppCopiesIsTheApps() {
        IndexOutOfBoundsException thrown = new ArrayIndexOutOfBoundsException("arraycopy");
        StackTraceElement copy = new StackTraceElement("java.lang.System", "arraycopy", null, -2);
        StackTraceElement app = new StackTraceElement("com.example.Own", "onCreate", "Own.java", 7);
        thrown.setStackTrace(new StackTraceElement[] {copy, new StackTraceElement("android.media.audiofx.AudioEffect", "getParameter", "AudioEffect.java", 837), app});
        assertEquals("hardware that the JVM does not have: ArrayIndexOutOfBoundsException in android.media.audiofx.AudioEffect", HostFaults.reason(thrown));
        StackTraceElement shadow = new StackTraceElement("org.robolectric.shadows.ShadowAudioEffect", "native_getParameter", "ShadowAudioEffect.java", 90);
        StackTraceElement called = new StackTraceElement("java.lang.invoke.LambdaForm$MH", "linkToCallSite", null, -1);
        StackTraceElement effect = new StackTraceElement("android.media.audiofx.AudioEffect", "getParameter", "AudioEffect.java", 837);
        thrown.setStackTrace(new StackTraceElement[] {copy, shadow, called, effect, app});
        assertEquals("hardware that the JVM does not have: ArrayIndexOutOfBoundsException in android.media.audiofx.AudioEffect", HostFaults.reason(thrown));
        thrown.setStackTrace(new StackTraceElement[] {copy, app});
        assertNull(HostFaults.reason(thrown));
    }

    @Test
    public void whatAShadowCannotDoIsTheHostsAndWhatItChecksAsAndroidDoesIsTheApps() {
        for (RuntimeException gap : new RuntimeException[] {new IllegalStateException("did not recognize serviceFetcher"), new IllegalArgumentException("blah"),
            new RuntimeException("UNIMPLEMENTED")}) {
            assertEquals("a gap of Robolectric: " + gap + " in org.robolectric.shadows.ShadowOther.get(ShadowOther.java:7)",
                    HostFaults.reason(new RuntimeException("Unable to start activity", by("ShadowOther", gap))));
        }
        String unknown = "Don't know what to do with dataSource /data/a.mp3 - either add an exception";
        assertEquals("a gap of Robolectric: java.lang.IllegalArgumentException: " + unknown + " in org.robolectric.shadows.ShadowMediaPlayer.get(ShadowMediaPlayer.java:7)",
                HostFaults.reason(by("ShadowMediaPlayer", new IllegalArgumentException(unknown))));
        assertNull(HostFaults.reason(by("ShadowMediaPlayer", new IllegalStateException())));
        assertNull(HostFaults.reason(by("ShadowInstrumentation", new IllegalArgumentException("Receiver not registered: a"))));
        assertNull(HostFaults.reason(by("ShadowPowerManager$ShadowWakeLock", new RuntimeException("WakeLock under-locked a"))));
        // Not what the framework or the app throws, called by a shadow or not.
        assertNull(HostFaults.reason(byTheApp(null)));
    }

    @Test
    public void codeForAnotherProcessorIsTheHostsAndCodeThatFailsToBeginIsTheApps() {
        assertEquals("native code: no own in java.library.path", HostFaults.reason(new ExceptionInInitializerError(new UnsatisfiedLinkError("no own in java.library.path"))));
        assertNull(HostFaults.reason(new ExceptionInInitializerError(byTheApp("UnsatisfiedLinkError"))));
        assertNull(HostFaults.reason(at("com.example.Own", new LinkageError("loader attempted duplicate class definition for com.example.Own"))));
    }

    @Test
    public void whatTheJvmLacksOfAndroidIsTheHostsAndWhatTheApkLacksIsTheApps() {
        String lacks = "a class or member of Android that the JVM does not have: ";
        for (Throwable missing : new Throwable[] {new NoClassDefFoundError("android/app/Later"), new NoClassDefFoundError("Could not initialize class android.app.Later"),
            new ClassNotFoundException("dalvik.system.Later"), new NoSuchMethodError("'void android.app.Activity.later(com.example.Own)'"),
            new NoSuchMethodError("'com.example.Own java.util.List.later()'"), new NoSuchFieldError("Class android.os.Build does not have member field 'com.example.Own LATER'"),
            new AbstractMethodError("Receiver class android.app.Later does not define or inherit an implementation of the resolved method 'void run()' of interface com.example.Own."),
            new IncompatibleClassChangeError("Found interface android.app.Later, but class was expected"),
            new IncompatibleClassChangeError("Expected static method 'com.example.Own android.app.Later.get()'")}) {
            assertEquals(lacks + missing.getMessage(), HostFaults.reason(new RuntimeException("Unable to start activity", missing)));
        }
        for (Throwable missing : new Throwable[] {new NoClassDefFoundError("com/example/Own"), new NoClassDefFoundError("Could not initialize class com.example.Own"),
            new ClassNotFoundException("com.example.Own"), new NoSuchMethodError("'java.lang.String com.example.Own.name(android.view.View)'"),
            new NoSuchMethodError("'android.view.View com.example.Own.<init>()'"), new NoSuchFieldError("Class com.example.Own does not have member field 'android.view.View view'"),
            // The JVM of Java 17 says no more of a field than this, which may be anybody's.
            new NoSuchFieldError("view"), new NoClassDefFoundError(),
            new AbstractMethodError("Receiver class com.example.Own does not define or inherit an implementation of the resolved method 'abstract void run(android.view.View)' of interface android.app.Later."),
            new IncompatibleClassChangeError("Expected static method 'java.lang.String com.example.Own.name()'"),
            // Brought along, or forgotten.
            new NoClassDefFoundError("android/support/v4/app/Fragment"), new ClassNotFoundException("com.android.volley.Request"),
            new NoSuchMethodError("'void android.support.v4.app.Fragment.later()'"), new NoClassDefFoundError("androidx/core/Later"),
            // What was looked for by name was perhaps not to be there.
            new NoSuchMethodException("android.app.Activity.later()"), new NoSuchFieldException("later")}) {
            assertNull(missing.toString(), HostFaults.reason(at("com.example.Own", missing)));
        }
    }

    @Test
    public void whatTheConverterWroteIsTheHostsAndWhatTheCodeDoesIsTheApps() {
        for (Error refused : new Error[] {new ClassFormatError("Duplicate field name"), new VerifyError("Bad type on operand stack"), new BootstrapMethodError("call site")}) {
            assertEquals("converted code that the JVM does not take: " + refused.getMessage(), HostFaults.reason(refused));
        }
        assertNull(HostFaults.reason(at("com.example.Own", new ClassCircularityError("com/example/Own"))));
        assertNull(HostFaults.reason(at("com.example.Own", new StackOverflowError())));
    }

    @Test
    public void anObjectOfAnEarlierLifeIsTheHostsAndOneOfAnotherClassIsTheApps() {
        String modules = " (both are in unnamed modules of loader 'app')";
        String earlier = "class com.example.Own cannot be cast to class com.example.Own" + modules;
        assertEquals("an object of an earlier life of the app: " + earlier, HostFaults.reason(at("com.example.Own", new ClassCastException(earlier))));
        for (String other : new String[] {"com.example.Other", "com.example.Owner", "com.example.Own$Inner", "android.app.Activity"}) {
            assertNull(HostFaults.reason(at("com.example.Own", new ClassCastException("class com.example.Own cannot be cast to class " + other + modules))));
        }
        assertNull(HostFaults.reason(at("com.example.Own", new ClassCastException())));
    }

    @Test
    public void anApkThatCannotBeReadIsTheHostsAndAPackageThatIsNotThereIsTheApps() {
        assertEquals("an APK that Robolectric cannot read: a", HostFaults.reason(new RuntimeException(new PackageParserException("a"))));
        assertNull(HostFaults.reason(new RuntimeException(at("com.example.Own", new PackageManager.NameNotFoundException("a")))));
    }

    @Test
    public void whatTheHostStumblesOverIsItsOwnAndWhatItRefusesAsAPhoneDoesIsTheApps() {
        String host = "siamang.agent.jvm.robo.inside.Services";
        assertEquals("a defect of the host: java.lang.IllegalStateException: a", HostFaults.reason(at(host, new IllegalStateException("a"))));
        for (Throwable refused : new Throwable[] {new ActivityNotFoundException("a"), new FileNotFoundException("a"), new OutOfMemoryError("a"), new SecurityException("a")}) {
            assertNull(HostFaults.reason(at(host, refused)));
        }
        // The host hands on what the app has thrown, and an app may have a like name.
        assertNull(HostFaults.reason(at(host, new RuntimeException(byTheApp("a")))));
        assertNull(HostFaults.reason(at("siamang.agents.Own", new IllegalStateException("a"))));
    }

    @Test
    public void aFormatThatOnlyLaterAndroidsRefuseIsTheHostsForAnAppOfBefore() {
        Throwable zeroth = thrownBy("%0$s");
        assertEquals("a check of the JDK's formatter that Android makes for newer apps only: " + zeroth.getMessage(), HostFaults.reason(zeroth, () -> 33));
        assertNull(HostFaults.reason(zeroth, () -> 34));
        assertNull(HostFaults.reason(thrownBy("%2$s"), () -> 33));
        assertNull(HostFaults.reason(thrownBy("%d"), () -> 33));
    }

    @Test
    public void whatHardwareCannotDoIsTheHostsAndWhatTheFrameworkRefusesIsTheApps() {
        assertEquals("hardware that the JVM does not have: UnsupportedOperationException in android.telephony.Radio.get(Radio.java:7)",
                HostFaults.reason(at("android.telephony.Radio", new UnsupportedOperationException())));
        assertEquals("hardware that the JVM does not have: NullPointerException in android.net.wifi.Radio.get(Radio.java:7)",
                HostFaults.reason(at("android.net.wifi.Radio", new NullPointerException())));
        assertNull(HostFaults.reason(at("android.telephony.Radio", new IllegalStateException())));
        assertNull(HostFaults.reason(at("android.net.Uri", new NullPointerException())));
        assertNull(HostFaults.reason(at("java.util.Collections", new UnsupportedOperationException())));
    }

    @Test
    public void whereAShadowIsSurprisedIsAGapAndWhereTheFrameworkIsItIsTheApps() {
        for (Throwable surprise : new Throwable[] {new NullPointerException(), new ClassCastException(), new UnsupportedOperationException(), new AssertionError(),
            new ArrayIndexOutOfBoundsException()}) {
            String name = surprise.getClass().getSimpleName();
            assertEquals("a gap of Robolectric: " + name + " in org.robolectric.shadows.ShadowLooper.get(ShadowLooper.java:7)",
                    HostFaults.reason(at("org.robolectric.shadows.ShadowLooper", surprise)));
            assertNull(HostFaults.reason(at("android.os.Looper", surprise)));
        }
        // A kind of its own is what somebody has meant to throw.
        assertNull(HostFaults.reason(at("org.robolectric.shadows.ShadowLooper", new NumberFormatException())));
    }

    private static final class PackageParserException extends Exception {
        private static final long serialVersionUID = 1;

        PackageParserException(String message) {
            super(message);
        }
    }

    private static Throwable thrownBy(String format) {
        try {
            return new AssertionError(String.format(format, "a"));
        } catch (IllegalFormatException e) {
            return e;
        }
    }

    private static Throwable at(String type, Throwable thrown) {
        String file = type.substring(type.lastIndexOf('.') + 1) + ".java";
        thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement(type, "get", file, 7), new StackTraceElement("com.example.Own", "onCreate", "Own.java", 7)});
        return thrown;
    }

    private static RuntimeException by(String shadow, RuntimeException thrown) {
        thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement("org.robolectric.shadows." + shadow, "get", shadow.split("\\$")[0] + ".java", 7),
            new StackTraceElement("com.example.Own", "onCreate", "Own.java", 7)});
        return thrown;
    }

    private static Throwable byTheApp(String message) {
        NullPointerException thrown = new NullPointerException(message);
        thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement("com.example.Own", "onCreate", "Own.java", 7)});
        return thrown;
    }
}
