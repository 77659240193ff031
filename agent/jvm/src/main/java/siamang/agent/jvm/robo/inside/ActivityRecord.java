package siamang.agent.jvm.robo.inside;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.res.TypedArray;
import android.os.Bundle;
import android.os.Parcel;
import android.os.Parcelable;
import android.view.View;
import androidx.test.runner.lifecycle.ActivityLifecycleMonitorRegistry;
import androidx.test.runner.lifecycle.Stage;
import org.robolectric.Robolectric;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;

/** One activity of the task: its place in the life cycle, who started it, and what it saved when it was stopped. */
final class ActivityRecord {
    final Intent intent;
    final ActivityInfo info;
    final boolean noHistory;
    /** Who waits for the result; null if nobody does. */
    ActivityRecord caller;
    int requestCode = -1;
    String fragment;
    Bundle saved;
    private ActivityController<? extends Activity> controller;
    private boolean stopped;
    /** The user has come to it once; after that one only comes back to it. */
    private boolean seen;
    /** A result that came while there was no activity to hear of it. */
    private Runnable awaited;

    ActivityRecord(Intent intent, ActivityInfo info) {
        this.intent = intent;
        this.info = info;
        this.noHistory = (intent.getFlags() & Intent.FLAG_ACTIVITY_NO_HISTORY) != 0 || (info.flags & ActivityInfo.FLAG_NO_HISTORY) != 0;
        if (intent.getComponent() == null) {
            intent.setComponent(new ComponentName(info.packageName, info.name));
        }
    }

    /** A copy that holds bytes in place of the app's objects: what the system server keeps while the process is gone. */
    ActivityRecord frozen() {
        ActivityRecord copy = new ActivityRecord(copied(intent, Intent.CREATOR), info);
        copy.saved = saved == null ? null : copied(saved, Bundle.CREATOR);
        copy.requestCode = requestCode;
        copy.fragment = fragment;
        copy.caller = caller;
        return copy;
    }

    private static <T extends Parcelable> T copied(T value, Parcelable.Creator<T> creator) {
        Parcel parcel = Parcel.obtain();
        try {
            value.writeToParcel(parcel, 0);
            byte[] bytes = parcel.marshall();
            parcel.recycle();
            parcel = Parcel.obtain();
            parcel.unmarshall(bytes, 0, bytes.length);
            parcel.setDataPosition(0);
            return creator.createFromParcel(parcel);
        } finally {
            parcel.recycle();
        }
    }

    /** What was frozen is read with the classes of the new process. */
    private void thaw() {
        intent.setExtrasClassLoader(AppProcess.current().loader);
        if (saved != null) {
            saved.setClassLoader(AppProcess.current().loader);
        }
    }

    /** The class that runs: of an alias, its target. */
    static String className(ActivityInfo info) {
        return info.targetActivity != null ? info.targetActivity : info.name;
    }

    String className() {
        return className(info);
    }

    Activity activity() {
        return controller == null ? null : controller.get();
    }

    /** It has a task of its own. */
    boolean isAlone() {
        return info.launchMode == ActivityInfo.LAUNCH_SINGLE_INSTANCE;
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isFinishing() {
        return controller != null && activity().isFinishing();
    }

    /** The result of an activity that has ended; where there is nobody to hear of it at present, it waits until there is. */
    void answeredBy(ActivityRecord ended, int result, Intent data) {
        awaited = () -> deliver(ended.fragment, ended.requestCode, result, data);
        if (controller != null) {
            hear();
        }
    }

    private void hear() {
        Runnable result = awaited;
        awaited = null;
        if (result != null) {
            result.run();
        }
    }

    /** Creates the activity, from what it saved if it did, up to resumed unless it ends itself before that. */
    void bringToLife(Bundle options) {
        String component = "ComponentInfo{" + info.packageName + "/" + className() + "}";
        seen = saved != null;
        thaw();
        Class<? extends Activity> type;
        try {
            type = Hooks.forName(className()).asSubclass(Activity.class);
        } catch (ClassNotFoundException e) {
            throw new RuntimeException("Unable to instantiate activity " + component + ": " + e, e);
        }
        Lifecycle.wrap("Unable to instantiate activity " + component, () -> controller = Robolectric.buildActivity(type, intent, options));
        if (caller != null && requestCode >= 0) {
            shadow().setCallingActivity(new ComponentName(caller.info.packageName, caller.info.name));
        }
        Lifecycle.wrap("Unable to start activity " + component, () -> controller.create(saved));
        if (isFinishing()) {
            return;
        }
        Lifecycle.wrap("Unable to start activity " + component, () -> {
            controller.start();
            if (saved != null) {
                controller.restoreInstanceState(saved);
            }
            controller.postCreate(saved);
        });
        stopped = false;
        hear();
        resume();
    }

    /** It is seen again, behind one that does not hide it. */
    void reappear() {
        if (controller == null) {
            bringToLife(null);
            pauseIfResumed();
        } else {
            restartIfStopped();
        }
    }

    private void restartIfStopped() {
        if (stopped) {
            controller.restart();
            stopped = false;
            View decor = activity().getWindow() == null ? null : activity().getWindow().peekDecorView();
            if (decor != null) {
                decor.setVisibility(View.VISIBLE);
            }
        }
    }

    void resume() {
        restartIfStopped();
        Lifecycle.wrap("Unable to resume activity {" + info.packageName + "/" + className() + "}", controller::resume);
        if (!isFinishing()) {
            if (!seen) {
                Keyboard.navigateForward(activity());
                seen = true;
            }
            controller.visible();
        }
        controller.topActivityResumed(true);
    }

    void userLeaving() {
        controller.userLeaving();
    }

    void newIntent(Intent next) {
        controller.newIntent(next);
    }

    void pauseIfResumed() {
        if (stage() == Stage.RESUMED) {
            Lifecycle.wrap("Unable to pause activity {" + info.packageName + "/" + className() + "}", controller::pause);
        }
    }

    boolean isResumed() {
        return controller != null && stage() == Stage.RESUMED;
    }

    void stop() {
        if (stopped || !isStarted()) {
            return;
        }
        Lifecycle.wrap("Unable to stop activity {" + info.packageName + "/" + className() + "}", controller::stop);
        stopped = true;
        if (!isFinishing()) {
            Bundle state = new Bundle();
            controller.saveInstanceState(state);
            saved = state;
        }
        View decor = activity().getWindow() == null ? null : activity().getWindow().peekDecorView();
        if (decor != null) {
            decor.setVisibility(View.INVISIBLE);
        }
    }

    /** The system wants its memory: the activity goes, and what it saved stays. */
    void drop() {
        if (stopped && !isFinishing()) {
            destroy();
            controller = null;
        }
    }

    void destroy() {
        if (controller == null) {
            return;
        }
        pauseIfResumed();
        if (isStarted() && !stopped) {
            Lifecycle.wrap("Unable to stop activity {" + info.packageName + "/" + className() + "}", controller::stop);
            stopped = true;
        }
        Lifecycle.wrap("Unable to destroy activity {" + info.packageName + "/" + className() + "}", controller::destroy);
    }

    /** Ends and begins anew with what was saved, as a change of configuration does. */
    void recreate() {
        boolean wasStopped = stopped;
        JvmBackend.get().keyboard.keepForLater();
        Lifecycle.wrap("Unable to start activity ComponentInfo{" + info.packageName + "/" + className() + "}", controller::recreate);
        if (wasStopped) {
            stopped = false;
            stop();
        }
    }

    void configurationChanged() {
        if (controller != null && !stopped) {
            Lifecycle.wrap("Unable to start activity ComponentInfo{" + info.packageName + "/" + className() + "}", controller::configurationChange);
            controller.visible();
        }
    }

    void deliver(String who, int request, int result, Intent data) {
        Lifecycle.wrap("Failure delivering result ResultInfo{who=" + who + ", request=" + request + ", result=" + result + ", data=" + data
                + "} to activity {" + info.packageName + "/" + className() + "}",
                () -> shadow().internalCallDispatchActivityResult(who, request, result, data));
    }

    int resultCode() {
        return shadow().getResultCode();
    }

    Intent resultData() {
        return shadow().getResultIntent();
    }

    /** What is below shows through. */
    boolean isTranslucent() {
        TypedArray style = activity().getTheme().obtainStyledAttributes(new int[] {android.R.attr.windowIsTranslucent, android.R.attr.windowIsFloating});
        try {
            return style.getBoolean(0, false) || style.getBoolean(1, false);
        } finally {
            style.recycle();
        }
    }

    private ShadowActivity shadow() {
        return Shadow.extract(activity());
    }

    private Stage stage() {
        return ActivityLifecycleMonitorRegistry.getInstance().getLifecycleStageOf(activity());
    }

    private boolean isStarted() {
        Stage stage = stage();
        return stage == Stage.STARTED || stage == Stage.RESUMED || stage == Stage.PAUSED || stage == Stage.RESTARTED;
    }
}
