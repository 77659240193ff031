package siamang.agent.device;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Every reflective look-up of the agent. The levels in the comments were read from the framework jars, and are checked. */
public final class Lookups {
    private static final String AM = "android.app.IActivityManager";
    private static final String PM = "android.content.pm.IPackageManager";
    private static final String WM = "android.view.IWindowManager";
    private static final String CLIP = "android.content.IClipboard";
    private static final String CONTROLLER = "android.app.IActivityController";
    private static final String OBSERVER = "android.content.pm.IPackageDataObserver";
    private static final String DISMISS = "com.android.internal.policy.IKeyguardDismissCallback";
    private static final String INTENT = "android.content.Intent";
    private static final String STRING = "java.lang.String";

    /** The second form from 24 on, the first before. */
    static final Lookup SET_CONTROLLER = Lookup.of("watch activities")
            .method(AM, "setActivityController", CONTROLLER, "boolean")
            .method(AM, "setActivityController", CONTROLLER);

    /** keepState was added in 28. */
    static final Lookup CLEAR_DATA = Lookup.of("clear app data")
            .method(AM, "clearApplicationUserData", STRING, "boolean", OBSERVER, "int")
            .method(AM, "clearApplicationUserData", STRING, OBSERVER, "int");

    /** The flags went in 28. */
    static final Lookup GET_TASKS = Lookup.of("list tasks")
            .method(AM, "getTasks", "int")
            .method(AM, "getTasks", "int", "int");

    /** The field moved to the superclass in 29. */
    static final Lookup TOP_ACTIVITY = Lookup.of("read a task's top activity")
            .field("android.app.TaskInfo", "topActivity")
            .field("android.app.ActivityManager$RunningTaskInfo", "topActivity");

    /** Flags became long in 33. */
    static final Lookup PACKAGE_INFO = Lookup.of("read package facts")
            .method(PM, "getPackageInfo", STRING, "long", "int")
            .method(PM, "getPackageInfo", STRING, "int", "int");

    /** Flags became long in 33; before 24 the result is a plain list. */
    static final Lookup QUERY_ACTIVITIES = Lookup.of("find an app's activities")
            .method(PM, "queryIntentActivities", INTENT, STRING, "long", "int")
            .method(PM, "queryIntentActivities", INTENT, STRING, "int", "int");

    /** Another name since 26. */
    static final Lookup ROTATION = Lookup.of("ask how the screen is turned")
            .method(WM, "getDefaultDisplayRotation")
            .method(WM, "getRotation");

    /** A callback since 26, a message since 28. */
    static final Lookup DISMISS_KEYGUARD = Lookup.of("dismiss the keyguard")
            .method(WM, "dismissKeyguard", DISMISS, "java.lang.CharSequence")
            .method(WM, "dismissKeyguard", DISMISS)
            .method(WM, "dismissKeyguard");

    /** A user since 29, attribution tag and device since 34. */
    static final Lookup SET_CLIP = Lookup.of("write the clipboard")
            .method(CLIP, "setPrimaryClip", "android.content.ClipData", STRING, STRING, "int", "int")
            .method(CLIP, "setPrimaryClip", "android.content.ClipData", STRING, "int")
            .method(CLIP, "setPrimaryClip", "android.content.ClipData", STRING);

    static final Lookup GET_CLIP = Lookup.of("read the clipboard")
            .method(CLIP, "getPrimaryClip", STRING, STRING, "int", "int")
            .method(CLIP, "getPrimaryClip", STRING, "int")
            .method(CLIP, "getPrimaryClip", STRING);

    private static final List<Lookup> ALL = Collections.unmodifiableList(Arrays.asList(SET_CONTROLLER, CLEAR_DATA, GET_TASKS, TOP_ACTIVITY,
            PACKAGE_INFO, QUERY_ACTIVITIES, ROTATION, DISMISS_KEYGUARD, SET_CLIP, GET_CLIP));

    private Lookups() {
    }

    public static List<Lookup> all() {
        return ALL;
    }
}
