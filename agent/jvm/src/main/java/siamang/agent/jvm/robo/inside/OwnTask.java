package siamang.agent.jvm.robo.inside;

import android.app.ActivityManager.AppTask;
import android.app.ActivityManager.RecentTaskInfo;
import android.app.ActivityManager.RunningAppProcessInfo;
import android.app.ActivityManager.RunningTaskInfo;
import android.app.TaskInfo;
import android.content.ComponentName;
import android.content.Intent;
import android.os.Process;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowAppTask;

/** What a phone's activity manager tells an app about itself, and about others: that there is a home screen. */
final class OwnTask {
    private static final int ID = 1;
    private static final int HOME_ID = 0;

    private OwnTask() {
    }

    static List<RunningTaskInfo> running(int most) {
        List<RunningTaskInfo> tasks = new ArrayList<>();
        TaskStack stack = TaskStack.get();
        RunningTaskInfo home = new RunningTaskInfo();
        ComponentName launcher = new ComponentName(SystemNode.HOME, SystemNode.HOME + ".Home");
        home.baseActivity = launcher;
        home.topActivity = launcher;
        home.baseIntent = new Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_HOME).setComponent(launcher);
        home.numActivities = 1;
        home.taskId = HOME_ID;
        home.id = HOME_ID;
        tasks.add(home);
        if (!stack.records().isEmpty()) {
            RunningTaskInfo own = new RunningTaskInfo();
            fill(own, stack);
            own.id = ID;
            tasks.add(stack.top() == null ? 1 : 0, own);
        }
        return tasks.subList(0, Math.max(0, Math.min(most, tasks.size())));
    }

    static List<AppTask> ofApp() {
        TaskStack stack = TaskStack.get();
        if (stack.records().isEmpty()) {
            return new ArrayList<>();
        }
        RecentTaskInfo info = new RecentTaskInfo();
        fill(info, stack);
        info.id = ID;
        info.persistentId = ID;
        AppTask task = ShadowAppTask.newInstance();
        ((ShadowAppTask) Shadow.extract(task)).setTaskInfo(info);
        return new ArrayList<>(List.of(task));
    }

    static List<RunningAppProcessInfo> processes() {
        AppProcess process = AppProcess.current();
        RunningAppProcessInfo own = new RunningAppProcessInfo(process.name, Process.myPid(), new String[] {process.name});
        own.uid = Process.myUid();
        own.importance = TaskStack.get().top() == null ? RunningAppProcessInfo.IMPORTANCE_CACHED : RunningAppProcessInfo.IMPORTANCE_FOREGROUND;
        own.lastTrimLevel = 0;
        return new ArrayList<>(List.of(own));
    }

    private static void fill(TaskInfo info, TaskStack stack) {
        List<ActivityRecord> records = stack.records();
        ActivityRecord base = records.get(0);
        ActivityRecord top = records.get(records.size() - 1);
        info.taskId = ID;
        info.isRunning = true;
        info.baseIntent = new Intent(base.intent);
        info.baseActivity = component(base);
        info.topActivity = component(top);
        info.origActivity = info.baseActivity;
        info.numActivities = records.size();
        info.topActivityInfo = top.info;
    }

    private static ComponentName component(ActivityRecord record) {
        return new ComponentName(record.info.packageName, record.className());
    }
}
