package siamang.agent.jvm.robo.inside;

import android.app.Activity;
import android.app.Application;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.graphics.Rect;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import siamang.agent.core.Window;

/**
 * The phone's window that asks whether the app may have a permission, over the activity that wants it. On the main thread.
 * The activity is paused meanwhile, and hears of the answer before it goes on.
 */
final class Question {
    static final String ACTION = "android.content.pm.action.REQUEST_PERMISSIONS";
    private static final String NAMES = "android.content.pm.extra.REQUEST_PERMISSIONS_NAMES";
    private static final String RESULTS = "android.content.pm.extra.REQUEST_PERMISSIONS_RESULTS";
    private static final String PACKAGE = "com.android.permissioncontroller";
    private static final String ALLOW = "Allow";
    private static final String DENY = "Don't allow";
    private static final int TEXT_SIZE = 28;
    private static final int WIDTH = 640;
    private static final int TEXT_HEIGHT = 220;
    private static final int BUTTON_HEIGHT = 120;

    private final JvmBackend device;
    private final List<Request> requests = new ArrayList<>();

    Question(JvmBackend device) {
        this.device = device;
    }

    /** What one activity asks for, and what of it is still to be answered. */
    static final class Request {
        private final int place;
        private final String fragment;
        private final int code;
        private final String[] names;
        private final List<String> open;
        private ActivityRecord asker;

        Request(ActivityRecord asker, int place, String fragment, int code, String[] names, List<String> open) {
            this.asker = asker;
            this.place = place;
            this.fragment = fragment;
            this.code = code;
            this.names = names;
            this.open = open;
        }
    }

    /** Answers at once where there is nothing to ask. */
    void ask(ActivityRecord asker, String fragment, Intent intent, int code) {
        String[] names = intent.getStringArrayExtra(NAMES);
        List<String> open = new ArrayList<>(device.permissions.questions(names));
        String asked = String.join(" ", names);
        device.standIns.note(ACTION, asked, PACKAGE, open.isEmpty() ? "answered without a question" : "asks the user");
        if (asker == null) {
            return;
        }
        Request request = new Request(asker, TaskStack.get().records().indexOf(asker), fragment, code, names, open);
        if (open.isEmpty()) {
            TaskStack.deliverLater(asker.activity(), fragment, code, Activity.RESULT_OK, results(request));
        } else {
            requests.add(request);
        }
    }

    /** The request whose window is on the screen, or null. */
    private Request current() {
        ActivityRecord top = requests.isEmpty() ? null : TaskStack.get().top();
        for (Request request : requests) {
            if (request.asker == top) {
                return request;
            }
        }
        return null;
    }

    boolean isShown() {
        return current() != null;
    }

    private Rect bounds() {
        int height = Math.min(TEXT_HEIGHT + 2 * BUTTON_HEIGHT, device.height());
        int left = (device.width() - WIDTH) / 2;
        int top = (device.height() - height) / 2;
        return new Rect(left, top, left + WIDTH, top + height);
    }

    private static int[] array(int left, int top, int right, int bottom) {
        return new int[] {left, top, right, bottom};
    }

    Window window(int layer) {
        Rect at = bounds();
        int allow = at.bottom - 2 * BUTTON_HEIGHT;
        int deny = at.bottom - BUTTON_HEIGHT;
        SystemNode root = SystemNode.box(PACKAGE, array(at.left, at.top, at.right, at.bottom), List.of(
                SystemNode.words(PACKAGE, "permission_message", words(), array(at.left, at.top, at.right, allow)),
                SystemNode.button(PACKAGE, "permission_allow_button", ALLOW, array(at.left, allow, at.right, deny)),
                SystemNode.button(PACKAGE, "permission_deny_button", DENY, array(at.left, deny, at.right, at.bottom))));
        return new Window(layer + 1, Window.APPLICATION, layer, Window.ACTIVE | Window.FOCUSED, 0, array(at.left, at.top, at.right, at.bottom), "Permission", root);
    }

    void draw(Canvas canvas) {
        Rect at = bounds();
        Paint paint = new Paint();
        paint.setColor(Color.WHITE);
        canvas.drawRect(at, paint);
        paint.setColor(Color.BLACK);
        paint.setTextSize(TEXT_SIZE);
        canvas.drawText(words(), at.left + TEXT_SIZE, at.top + 2 * TEXT_SIZE, paint);
        canvas.drawText(ALLOW, at.left + TEXT_SIZE, at.bottom - BUTTON_HEIGHT - TEXT_SIZE, paint);
        canvas.drawText(DENY, at.left + TEXT_SIZE, at.bottom - TEXT_SIZE, paint);
    }

    private String words() {
        Application app = RuntimeEnvironment.getApplication();
        return "Allow " + app.getApplicationInfo().loadLabel(app.getPackageManager()) + " to " + current().open.get(0) + "?";
    }

    /** A finger was lifted; beside the buttons it does nothing. */
    void touched(float x, float y) {
        Rect at = bounds();
        if (at.contains((int) x, (int) y) && y >= at.bottom - 2 * BUTTON_HEIGHT) {
            Request request = current();
            device.permissions.answer(request.open.remove(0), request.names, y < at.bottom - BUTTON_HEIGHT);
            if (request.open.isEmpty()) {
                end(request);
            }
        }
    }

    /** BACK: nothing is granted, and it does not count as a denial. */
    void dismiss() {
        end(current());
    }

    private void end(Request request) {
        requests.remove(request);
        TaskStack.get().answerLater(request.asker, request.fragment, request.code, results(request));
    }

    private Intent results(Request request) {
        int[] results = new int[request.names.length];
        for (int i = 0; i < results.length; i++) {
            results[i] = device.permissions.isGranted(request.names[i]) ? PackageManager.PERMISSION_GRANTED : PackageManager.PERMISSION_DENIED;
        }
        return new Intent().putExtra(NAMES, request.names).putExtra(RESULTS, results);
    }

    /** The process is about to die; the system goes on asking. */
    List<Request> frozen() {
        return new ArrayList<>(requests);
    }

    void thaw(List<Request> before) {
        List<ActivityRecord> records = TaskStack.get().records();
        for (Request request : before) {
            if (request.place < records.size()) {
                request.asker = records.get(request.place);
                requests.add(request);
            }
        }
    }

    void forget() {
        requests.clear();
    }
}
