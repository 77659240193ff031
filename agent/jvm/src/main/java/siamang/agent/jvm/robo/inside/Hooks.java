package siamang.agent.jvm.robo.inside;

import android.app.ActionBar;
import android.app.Activity;
import android.app.ActivityManager;
import android.app.FragmentManager;
import android.app.LoadedApk;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ParceledListSlice;
import android.content.pm.ProviderInfo;
import android.content.pm.ServiceInfo;
import android.graphics.Rect;
import android.os.IBinder;
import android.os.Parcel;
import android.os.ResultReceiver;
import android.view.View;
import android.view.Window;
import android.view.WindowManager;
import android.widget.Toast;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowWindowManagerGlobal;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.TempDirectory;

/** What patched shadow methods do instead: what on a phone is the framework's or the system server's. */
public final class Hooks {
    private Hooks() {
    }

    public static Class<?> forName(String name) throws ClassNotFoundException {
        return Class.forName(name, true, AppProcess.current().loader);
    }

    public static ClassLoader getClassLoader(LoadedApk apk) {
        return AppProcess.current().loader;
    }

    public static ClassLoader getSplitClassLoader(LoadedApk apk, String split) {
        return AppProcess.current().loader;
    }

    public static void onBackPressed(Activity activity) {
        ActionBar bar = activity.getActionBar();
        if (bar != null && bar.collapseActionView()) {
            return;
        }
        FragmentManager fragments = activity.getFragmentManager();
        if (!fragments.isStateSaved() && fragments.popBackStackImmediate()) {
            return;
        }
        activity.finish();
    }

    public static View getCurrentFocus(Activity activity) {
        Window window = activity.getWindow();
        return window == null ? null : window.getCurrentFocus();
    }

    public static boolean isTaskRoot(Activity activity) {
        return TaskStack.get().isRoot(activity);
    }

    public static void finishAffinity(Activity activity) {
        TaskStack.get().finishTaskOf(activity);
    }

    public static void finishAndRemoveTask(Activity activity) {
        TaskStack.get().finishTaskOf(activity);
    }

    public static void finishAndRemoveTask() {
        TaskStack.get().finishTaskOf(null);
    }

    public static List<ActivityManager.RunningTaskInfo> getRunningTasks(int most) {
        return OwnTask.running(most);
    }

    public static List<ActivityManager.AppTask> getAppTasks() {
        return OwnTask.ofApp();
    }

    public static List<ActivityManager.RunningAppProcessInfo> getRunningAppProcesses() {
        return OwnTask.processes();
    }

    public static void show(Toast toast) {
        JvmBackend.get().toasts.showLater(toast);
    }

    public static void cancel(Toast toast) {
        JvmBackend.get().toasts.cancelLater(toast);
    }

    /** An activity inside another, as in tabs, ends its parent. */
    public static void finish(Activity activity) {
        Activity parent = activity.getParent();
        if (parent != null) {
            parent.finishFromChild(activity);
        } else {
            ReflectionHelpers.setField(Activity.class, activity, "mFinished", true);
        }
    }

    public static boolean moveTaskToBack(Activity activity, boolean nonRoot) {
        if (!nonRoot && !TaskStack.get().isRoot(activity)) {
            return false;
        }
        TaskStack.get().leaveLater();
        return true;
    }

    public static boolean showSoftInput(View view, int flags, ResultReceiver receiver) {
        return JvmBackend.get().keyboard.show(view, flags, receiver);
    }

    public static boolean hideSoftInputFromWindow(IBinder token, int flags, ResultReceiver receiver) {
        return JvmBackend.get().keyboard.hide(token, flags, receiver);
    }

    public static void toggleSoftInput(int showFlags, int hideFlags) {
        JvmBackend.get().keyboard.toggle(showFlags, hideFlags);
    }

    /**
     * Before the device's clock moves, which a frame does by itself, in the midst of the app's code. The other threads come to
     * rest first: what time they see would else depend on who gets a processor.
     */
    public static void clockMoves() {
        JvmBackend device = JvmBackend.get();
        if (device != null && device.main != null && device.main.isCurrent()) {
            device.threads.rest(device.process());
        }
    }

    /**
     * A message was dispatched. Messages take no time here; on a phone they do, and who sends one again until some time has
     * passed comes to an end. True if enough were dispatched for now.
     */
    public static boolean dispatched() {
        JvmBackend device = JvmBackend.get();
        return device != null && device.main.isCurrent() && device.loop.dispatched();
    }

    /** Of SystemClock, which no interruption ends. */
    public static boolean sleeps(long ms) {
        JvmBackend device = JvmBackend.get();
        if (device.main.isCurrent()) {
            return false;
        }
        device.threads.sleepSoundly(ms);
        return true;
    }

    /** What is left of the screen for a window; the system's bars have been taken away. */
    public static void adjustFrameForInsets(WindowManager.LayoutParams attributes, Rect frame) {
        Keyboard.moveAway(attributes, frame);
    }

    /** A service of the system that says no, nothing and none, that the screen is being touched, and to accessibility which window is where. */
    public static <T> T createNullProxy(Class<T> service) {
        return service.cast(Proxy.newProxyInstance(service.getClassLoader(), new Class<?>[] {service}, (proxy, method, arguments) -> {
            if (method.getReturnType() == List.class) {
                return new ArrayList<>();
            }
            if (method.getReturnType() == ParceledListSlice.class) {
                return ParceledListSlice.emptyList();
            }
            if (method.getName().equals("addAccessibilityInteractionConnection")) {
                return JvmBackend.get().windows.number();
            }
            if (method.getName().equals("getWindowTransformationSpec")) {
                return JvmBackend.get().windows.whereabouts((Integer) arguments[0]);
            }
            return method.getName().equals("isInTouchMode") ? (Object) ShadowWindowManagerGlobal.getInTouchMode()
                    : ReflectionHelpers.defaultValueForType(method.getReturnType().getName());
        }));
    }

    public static void recreate(Activity activity) {
        TaskStack.get().recreateLater(activity);
    }

    /** The framework's resources are in a file of their own beside it, if somebody has made one. */
    public static void setAndroidFrameworkJarPath(Path framework) {
        Path resources = framework.resolveSibling("resources.jar");
        RuntimeEnvironment.setAndroidFrameworkJarPath(Files.isRegularFile(resources) ? resources : framework);
    }

    /** Where a life's files are. */
    public static void setTempDirectory(TempDirectory made) throws IOException {
        JvmBackend.get().storage.settle(made);
        RuntimeEnvironment.setTempDirectory(made);
    }

    /** A copy without the components that the flags do not ask for. The caller holds the lock of the package manager. */
    public static PackageInfo copyOf(PackageInfo info, long flags) {
        ActivityInfo[] activities = info.activities;
        ActivityInfo[] receivers = info.receivers;
        ServiceInfo[] services = info.services;
        ProviderInfo[] providers = info.providers;
        Parcel parcel = Parcel.obtain();
        try {
            info.activities = (flags & PackageManager.GET_ACTIVITIES) == 0 ? null : activities;
            info.receivers = (flags & PackageManager.GET_RECEIVERS) == 0 ? null : receivers;
            info.services = (flags & PackageManager.GET_SERVICES) == 0 ? null : services;
            info.providers = (flags & PackageManager.GET_PROVIDERS) == 0 ? null : providers;
            info.writeToParcel(parcel, 0);
            parcel.setDataPosition(0);
            return PackageInfo.CREATOR.createFromParcel(parcel);
        } finally {
            parcel.recycle();
            info.activities = activities;
            info.receivers = receivers;
            info.services = services;
            info.providers = providers;
        }
    }
}
