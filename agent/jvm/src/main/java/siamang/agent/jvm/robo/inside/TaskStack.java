package siamang.agent.jvm.robo.inside;

import android.app.Activity;
import android.content.ActivityNotFoundException;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;

/** The app's one task, as the system server keeps it: who is on top, who gets results, what BACK comes back to. */
final class TaskStack {
    private static TaskStack instance = new TaskStack();
    private static volatile boolean dropping;

    private final List<ActivityRecord> records = new ArrayList<>();
    private final ArrayDeque<Runnable> pending = new ArrayDeque<>();
    private boolean inBackground;

    static TaskStack get() {
        return instance;
    }

    static void forget() {
        instance = new TaskStack();
    }

    List<ActivityRecord> records() {
        return records;
    }

    /** The activity in front; null if the app is not. */
    ActivityRecord top() {
        return inBackground || records.isEmpty() ? null : last();
    }

    boolean isEmpty() {
        return records.isEmpty() && pending.isEmpty();
    }

    boolean isRoot(Activity activity) {
        ActivityRecord record = find(activity);
        return record != null && (record.isAlone() || records.indexOf(record) == alone());
    }

    /** How many are alone in tasks of their own below the app's usual one; those above it are not counted. */
    private int alone() {
        int count = 0;
        while (count < records.size() && records.get(count).isAlone()) {
            count++;
        }
        return count;
    }

    /** Of the app's usual task, or of the one that this activity is alone in. */
    void finishTaskOf(Activity activity) {
        ActivityRecord asking = activity == null ? null : find(activity);
        if (asking != null && asking.isAlone()) {
            activity.finish();
            return;
        }
        // Those that the system has taken away have nothing to end.
        records.removeIf(record -> record.activity() == null && !record.isAlone());
        for (ActivityRecord record : records) {
            if (!record.isAlone()) {
                record.activity().finish();
            }
        }
    }

    void leaveLater() {
        pending.add(this::leave);
    }

    void recreateLater(Activity activity) {
        pending.add(() -> {
            ActivityRecord record = find(activity);
            if (record != null && !record.isFinishing()) {
                record.recreate();
            }
        });
    }

    void configurationChangedLater() {
        pending.add(() -> {
            for (ActivityRecord record : new ArrayList<>(records)) {
                record.configurationChanged();
            }
        });
    }

    /** From the launcher: a new task, or the one there is comes back to the front. */
    void launchLater(Intent intent) {
        pending.add(() -> {
            if (records.isEmpty()) {
                launch(intent, null, null, -1, null);
            } else if (inBackground) {
                inBackground = false;
                show(last());
            }
        });
    }

    void openLater(Intent intent) {
        pending.add(() -> launch(intent, null, null, -1, null));
    }

    /** The app has an activity for it. */
    static boolean opens(Intent intent) {
        return resolve(intent) != null;
    }

    /** What comes back after the process died in the background: the top from what it saved, the others when BACK gets there. */
    void restoreLater(List<ActivityRecord> before, Runnable then) {
        pending.add(() -> {
            ActivityRecord below = null;
            for (ActivityRecord old : before) {
                ActivityRecord record = new ActivityRecord(old.intent, old.info);
                record.saved = old.saved;
                record.requestCode = old.requestCode;
                record.fragment = old.fragment;
                record.caller = old.caller == null ? null : below;
                records.add(record);
                below = record;
            }
            show(last());
            then.run();
        });
    }

    /** From Instrumentation.execStartActivity. Resolves now, because it may throw as on a phone, and launches when the looper is idle. */
    void request(Context who, Activity target, String fragment, Intent intent, int requestCode, Bundle options) {
        if (Question.ACTION.equals(intent.getAction())) {
            JvmBackend.get().question.ask(target == null ? null : find(target), fragment, intent, requestCode);
            return;
        }
        ActivityInfo info = resolve(intent);
        if (info == null) {
            ComponentName component = intent.getComponent();
            if (component != null && component.getPackageName().equals(RuntimeEnvironment.getApplication().getPackageName())) {
                throw new ActivityNotFoundException("Unable to find explicit activity class " + component.toShortString()
                        + "; have you declared this activity in your AndroidManifest.xml?");
            }
            StandIns.Answer answer = JvmBackend.get().standIns.answer(intent);
            if (requestCode >= 0) {
                deliverLater(target, fragment, requestCode, answer.result, answer.data);
            }
            return;
        }
        Intent copy = new Intent(intent);
        ActivityRecord caller = target == null ? null : find(target);
        if (requestCode >= 0 && (intent.getFlags() & Intent.FLAG_ACTIVITY_NEW_TASK) != 0) {
            // Another task answers nobody, and the system says so at once.
            deliverLater(target, fragment, requestCode, Activity.RESULT_CANCELED, null);
            pending.add(() -> launch(copy, null, null, -1, options));
        } else {
            pending.add(() -> launch(copy, caller, fragment, requestCode, options));
        }
    }

    /** One piece of housekeeping; true if something was done. The looper must be idle. */
    boolean reconcile() {
        if (!pending.isEmpty()) {
            pending.poll().run();
            return true;
        }
        for (int i = records.size() - 1; i >= 0; i--) {
            if (records.get(i).isFinishing()) {
                end(i);
                return true;
            }
        }
        // Who asks the user waits for the answer in the state of being covered.
        ActivityRecord top = top();
        if (top != null && top.isResumed() && JvmBackend.get().question.isShown()) {
            top.pauseIfResumed();
            return true;
        }
        return false;
    }

    /** The user has answered what an activity asked: it hears of that, and goes on. */
    void answerLater(ActivityRecord asker, String fragment, int code, Intent data) {
        pending.add(() -> {
            if (records.contains(asker) && asker.activity() != null) {
                asker.deliver(fragment, code, Activity.RESULT_OK, data);
                if (asker == top() && !asker.isFinishing()) {
                    asker.resume();
                }
            }
        });
    }

    void leave() {
        if (inBackground || records.isEmpty()) {
            return;
        }
        JvmBackend.get().keyboard.keepForLater();
        last().userLeaving();
        last().pauseIfResumed();
        for (int i = records.size() - 1; i >= 0; i--) {
            stop(records.get(i));
        }
        inBackground = true;
    }

    boolean isInBackground() {
        return inBackground;
    }

    private ActivityRecord last() {
        return records.get(records.size() - 1);
    }

    private ActivityRecord find(Activity activity) {
        Activity root = rootOf(activity);
        for (ActivityRecord record : records) {
            if (record.activity() == root) {
                return record;
            }
        }
        return null;
    }

    private static Activity rootOf(Activity activity) {
        Activity root = activity;
        while (root != null && root.getParent() != null) {
            root = root.getParent();
        }
        return root;
    }

    static void deliverLater(Activity target, String fragment, int request, int result, Intent data) {
        if (target != null) {
            new Handler(Looper.getMainLooper()).post(() ->
                    ((ShadowActivity) Shadow.extract(target)).internalCallDispatchActivityResult(fragment, request, result, data));
        }
    }

    private static ActivityInfo resolve(Intent intent) {
        PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
        int flags = PackageManager.GET_META_DATA | (intent.getComponent() == null ? PackageManager.MATCH_DEFAULT_ONLY : 0);
        ResolveInfo found = packages.resolveActivity(intent, flags);
        boolean own = found != null && found.activityInfo != null
                && found.activityInfo.packageName.equals(RuntimeEnvironment.getApplication().getPackageName());
        return own ? found.activityInfo : null;
    }

    private void launch(Intent intent, ActivityRecord caller, String fragment, int requestCode, Bundle options) {
        ActivityInfo info = resolve(intent);
        if (info == null) {
            throw new ActivityNotFoundException("No Activity found to handle " + intent);
        }
        inBackground = false;
        int flags = intent.getFlags();
        boolean alone = info.launchMode == ActivityInfo.LAUNCH_SINGLE_INSTANCE;
        boolean singleTask = info.launchMode == ActivityInfo.LAUNCH_SINGLE_TASK;
        if (!alone) {
            comeToFront();
        }
        boolean singleTop = singleTask || info.launchMode == ActivityInfo.LAUNCH_SINGLE_TOP || (flags & Intent.FLAG_ACTIVITY_SINGLE_TOP) != 0;
        if ((flags & Intent.FLAG_ACTIVITY_CLEAR_TASK) != 0) {
            removeAbove(alone() - 1);
        }
        int known = lastOf(ActivityRecord.className(info));
        if (known >= 0) {
            if (!alone && ((flags & Intent.FLAG_ACTIVITY_CLEAR_TOP) != 0 || singleTask)) {
                removeAbove(singleTop ? known : known - 1);
                if (singleTop) {
                    renew(last(), intent);
                    return;
                }
            } else if (alone || (flags & Intent.FLAG_ACTIVITY_REORDER_TO_FRONT) != 0) {
                ActivityRecord before = last();
                ActivityRecord record = records.remove(known);
                records.add(record);
                before.pauseIfResumed();
                renew(record, intent);
                stopBelow(record);
                return;
            } else if (singleTop && known == records.size() - 1) {
                renew(last(), intent);
                return;
            }
        }
        ActivityRecord before = records.isEmpty() ? null : last();
        if (before != null && before.activity() != null) {
            if (!before.isFinishing()) {
                before.userLeaving();
            }
            before.pauseIfResumed();
        }
        ActivityRecord record = new ActivityRecord(intent, info);
        record.caller = caller;
        record.requestCode = requestCode;
        record.fragment = fragment;
        records.add(record);
        record.bringToLife(options);
        announce(record);
        if (!record.isFinishing()) {
            stopBelow(record);
        }
    }

    private int lastOf(String className) {
        for (int i = records.size() - 1; i >= 0; i--) {
            if (records.get(i).className().equals(className)) {
                return i;
            }
        }
        return -1;
    }

    /** The system ends those above: whatever they would have answered, who waits for it hears that they were cancelled. */
    private void removeAbove(int index) {
        while (records.size() - 1 > index) {
            ActivityRecord record = records.remove(records.size() - 1);
            int waiting = record.requestCode < 0 ? -1 : records.indexOf(record.caller);
            if (waiting >= 0 && waiting <= index) {
                record.caller.answeredBy(record, Activity.RESULT_CANCELED, null);
            }
            record.destroy();
        }
    }

    /** What is not alone is in the app's usual task: that comes before those that are, in the order in which BACK meets them. */
    private void comeToFront() {
        if (!records.isEmpty() && last().isAlone()) {
            records.sort((one, other) -> Boolean.compare(other.isAlone(), one.isAlone()));
        }
    }

    /** The activity is there already: it hears of the new intent. */
    private void renew(ActivityRecord record, Intent intent) {
        if (record.activity() == null) {
            show(record);
        }
        record.pauseIfResumed();
        record.newIntent(intent);
        record.resume();
        announce(record);
        startBelow(record);
    }

    /** What shows through one that has come to the front is no longer stopped. */
    private void startBelow(ActivityRecord front) {
        ActivityRecord above = front;
        for (int i = records.indexOf(front) - 1; i >= 0 && !above.isFinishing() && above.isTranslucent(); i--) {
            above = records.get(i);
            above.reappear();
        }
    }

    private void stopBelow(ActivityRecord record) {
        if (record.isTranslucent()) {
            return;
        }
        for (int i = records.indexOf(record) - 1; i >= 0; i--) {
            stop(records.get(i));
        }
    }

    private static void stop(ActivityRecord record) {
        if (record.activity() != null) {
            record.stop();
            if (record.noHistory && !record.isFinishing()) {
                // Nobody comes back to it.
                record.activity().finish();
            }
            if (dropping) {
                record.drop();
            }
        }
    }

    /** Whether an activity that nobody sees is taken away at once, as with "Don't keep activities" on a phone. */
    static void drop(boolean unseen) {
        dropping = unseen;
    }

    private void show(ActivityRecord record) {
        if (record.activity() == null) {
            record.bringToLife(null);
        } else {
            record.resume();
        }
        announce(record);
        startBelow(record);
    }

    private void end(int index) {
        ActivityRecord record = records.get(index);
        boolean wasTop = index == records.size() - 1;
        record.pauseIfResumed();
        records.remove(index);
        ActivityRecord waiting = record.requestCode >= 0 && records.contains(record.caller) ? record.caller : null;
        if (wasTop && !records.isEmpty() && !last().isFinishing() && pending.isEmpty() && !inBackground) {
            ActivityRecord next = last();
            if (waiting == next) {
                // As on a phone: restarted first, then the result, then resumed.
                waiting.answeredBy(record, record.resultCode(), record.resultData());
            }
            show(next);
        } else if (waiting != null) {
            waiting.answeredBy(record, record.resultCode(), record.resultData());
        }
        record.destroy();
    }

    private static void announce(ActivityRecord record) {
        JvmBackend.get().events.activity(true, record.info.packageName, record.className());
    }
}
