package siamang.agent.jvm.robo.inside;

import android.app.ActionBar;
import android.app.Activity;
import android.app.FragmentManager;
import android.app.LoadedApk;
import android.view.View;
import android.view.Window;
import org.robolectric.util.ReflectionHelpers;

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
        TaskStack.get().finishAll();
    }

    public static void finishAndRemoveTask(Activity activity) {
        TaskStack.get().finishAll();
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

    public static void recreate(Activity activity) {
        TaskStack.get().recreateLater(activity);
    }
}
