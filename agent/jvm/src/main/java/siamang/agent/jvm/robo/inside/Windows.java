package siamang.agent.jvm.robo.inside;

import android.graphics.Matrix;
import android.os.IBinder;
import android.view.MagnificationSpec;
import android.view.View;
import android.view.WindowManager;
import android.view.WindowManagerGlobal;
import android.view.accessibility.IAccessibilityManager.WindowTransformationSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowViewRootImpl;
import siamang.agent.jvm.robo.shared.Hidden;

/** The windows on the screen, in the order that the window manager of a phone would give them. */
final class Windows {
    /** Above all activities: toasts and what has no activity. */
    private static final int NO_ACTIVITY = Integer.MAX_VALUE;

    private static final Hidden VIEWS = new Hidden(WindowManagerGlobal.class, "mViews");
    private static final Hidden PARAMS = new Hidden(WindowManagerGlobal.class, "mParams");

    private final Keyboard keyboard;
    private View focused;
    private int numbers;

    Windows(Keyboard keyboard) {
        this.keyboard = keyboard;
    }

    /** A window: its root view and how it is laid out. */
    static final class Pane {
        final View root;
        final WindowManager.LayoutParams params;
        private final int task;
        private final int age;

        Pane(View root, WindowManager.LayoutParams params, int task, int age) {
            this.root = root;
            this.params = params;
            this.task = task;
            this.age = age;
        }

        boolean has(int flag) {
            return (params.flags & flag) != 0;
        }

        boolean contains(float x, float y) {
            int[] at = new int[2];
            root.getLocationOnScreen(at);
            return x >= at[0] && y >= at[1] && x < at[0] + root.getWidth() && y < at[1] + root.getHeight();
        }

        /** It takes touches outside of itself too. */
        boolean isModal() {
            return (params.flags & (WindowManager.LayoutParams.FLAG_NOT_TOUCH_MODAL | WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE)) == 0;
        }

        private boolean isActivity() {
            return params.type == WindowManager.LayoutParams.TYPE_BASE_APPLICATION;
        }

        private boolean isSubWindow() {
            return params.type >= WindowManager.LayoutParams.FIRST_SUB_WINDOW && params.type <= WindowManager.LayoutParams.LAST_SUB_WINDOW;
        }
    }

    /** Bottom first. Windows of stopped activities are not there, nor is anything while the app is in the background. */
    List<Pane> panes() {
        List<Pane> panes = new ArrayList<>();
        if (TaskStack.get().top() == null) {
            return panes;
        }
        WindowManagerGlobal global = WindowManagerGlobal.getInstance();
        List<View> views = VIEWS.of(global);
        List<WindowManager.LayoutParams> params = PARAMS.of(global);
        Map<IBinder, Integer> places = places();
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < views.size(); i++) {
                View view = views.get(i);
                Integer place = places.get(params.get(i).token);
                if (place == null && view.getApplicationWindowToken() != null) {
                    place = places.get(view.getApplicationWindowToken());
                }
                boolean ownerGone = place == null && params.get(i).type < WindowManager.LayoutParams.FIRST_SYSTEM_WINDOW;
                Pane pane = new Pane(view, params.get(i), place == null ? NO_ACTIVITY : place, i);
                // A sub-window's parent must have been seen first.
                if (pane.isSubWindow() != (pass == 1) || ownerGone || view.getVisibility() != View.VISIBLE) {
                    continue;
                }
                if (view.getWindowToken() != null) {
                    places.put(view.getWindowToken(), pane.task);
                }
                panes.add(pane);
            }
        }
        panes.sort((one, other) -> {
            if (one.task != other.task) {
                return Integer.compare(one.task, other.task);
            }
            return one.isActivity() != other.isActivity() ? (one.isActivity() ? -1 : 1) : one.age - other.age;
        });
        return panes;
    }

    private static Map<IBinder, Integer> places() {
        Map<IBinder, Integer> places = new HashMap<>();
        List<ActivityRecord> records = TaskStack.get().records();
        for (int i = 0; i < records.size(); i++) {
            if (!records.get(i).isStopped() && records.get(i).activity() != null) {
                places.put(records.get(i).activity().getActivityToken(), i);
            }
        }
        return places;
    }

    /** The window that keys go to, or null. */
    Pane focusable() {
        if (JvmBackend.get().question.isShown()) {
            return null;
        }
        List<Pane> panes = panes();
        for (int i = panes.size() - 1; i >= 0; i--) {
            if (!panes.get(i).has(WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE)) {
                return panes.get(i);
            }
        }
        return null;
    }

    /** Tells windows that they lost or gained the focus; true if that changed. */
    boolean moveFocus() {
        Pane pane = focusable();
        View next = pane == null ? null : pane.root;
        if (next == focused) {
            return false;
        }
        View before = focused;
        focused = next;
        // The window forgets how it was navigated to when it hears of the focus.
        WindowManager.LayoutParams attributes = Keyboard.attributes(next);
        WindowManager.LayoutParams asTold = new WindowManager.LayoutParams();
        if (attributes != null) {
            asTold.copyFrom(attributes);
        }
        tell(before, false);
        tell(next, true);
        keyboard.focusMoves(next, attributes == null ? null : asTold);
        return true;
    }

    /** The root of the window that has the focus, or null. */
    View focused() {
        return focused;
    }

    void forget() {
        focused = null;
        numbers = 0;
        keyboard.forget();
    }

    /** A new window's, for accessibility. */
    int number() {
        return ++numbers;
    }

    /** How a window's own places become those on the screen, to an app that asks accessibility about itself. */
    WindowTransformationSpec whereabouts(int number) {
        Matrix place = new Matrix();
        List<View> views = VIEWS.of(WindowManagerGlobal.getInstance());
        for (View view : views) {
            if (view.getAccessibilityWindowId() == number) {
                int[] at = new int[2];
                view.getLocationOnScreen(at);
                place.setTranslate(at[0], at[1]);
            }
        }
        WindowTransformationSpec spec = new WindowTransformationSpec();
        spec.magnificationSpec = new MagnificationSpec();
        spec.transformationMatrix = new float[9];
        place.getValues(spec.transformationMatrix);
        return spec;
    }

    private static void tell(View root, boolean hasFocus) {
        if (root != null && root.isAttachedToWindow() && root.getViewRootImpl() != null) {
            ((ShadowViewRootImpl) Shadow.extract(root.getViewRootImpl())).callWindowFocusChanged(hasFocus);
        }
    }
}
