package siamang.agent.jvm.robo.inside;

import android.app.Application;
import android.content.Context;
import android.graphics.PixelFormat;
import android.os.Handler;
import android.os.Looper;
import android.view.Gravity;
import android.view.View;
import android.view.WindowManager;
import android.widget.Toast;
import android.widget.ToastPresenter;
import java.util.ArrayDeque;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowToast;
import siamang.agent.jvm.robo.shared.Hidden;

/** Toasts, one after the other, as the system shows them: each is a window above all others that nobody can touch. */
final class Toasts {
    /** The title that Android gives to the window of a toast; the host knows it by that. */
    private static final String TITLE = "Toast";
    private static final int SHORT_MS = 2_000;
    private static final int LONG_MS = 3_500;
    /** More of one app do not wait for their turn; the system forgets them. */
    private static final int MOST = 5;
    private static final int DISTANCE = 48;

    private static final Hidden TEXT = new Hidden(ShadowToast.class, "text");

    private final JvmBackend device;
    private final ArrayDeque<Toast> waiting = new ArrayDeque<>();
    private Toast shown;
    private View window;
    private int turn;

    Toasts(JvmBackend device) {
        this.device = device;
    }

    /** On any thread. The system hears of it while the app goes on. */
    void showLater(Toast toast) {
        new Handler(Looper.getMainLooper()).post(() -> show(toast));
    }

    void cancelLater(Toast toast) {
        new Handler(Looper.getMainLooper()).post(() -> {
            waiting.remove(toast);
            if (toast == shown) {
                hide();
                next();
            }
        });
    }

    void forget() {
        waiting.clear();
        shown = null;
        window = null;
        turn++;
    }

    private void show(Toast toast) {
        if (toast == shown) {
            hide();
            waiting.addFirst(toast);
        } else if (!waiting.contains(toast) && waiting.size() < MOST) {
            waiting.add(toast);
        }
        if (shown == null) {
            next();
        }
    }

    private void next() {
        Toast toast = waiting.poll();
        if (toast == null) {
            return;
        }
        shown = toast;
        String text = TEXT.of(Shadow.extract(toast));
        Application app = RuntimeEnvironment.getApplication();
        View view = toast.getView() != null ? toast.getView() : ToastPresenter.getTextToastView(app, text == null ? "" : text);
        // One that the app shows elsewhere at the same time has its place there.
        if (view.getParent() == null) {
            manager().addView(view, place(toast));
            window = view;
        }
        device.events.toast(device.process().name, String.valueOf(text));
        int mine = ++turn;
        new Handler(Looper.getMainLooper()).postDelayed(() -> {
            if (mine == turn) {
                hide();
                next();
            }
        }, toast.getDuration() == Toast.LENGTH_LONG ? LONG_MS : SHORT_MS);
    }

    private void hide() {
        if (window != null && window.isAttachedToWindow()) {
            manager().removeViewImmediate(window);
        }
        window = null;
        shown = null;
        turn++;
    }

    private static WindowManager manager() {
        return (WindowManager) RuntimeEnvironment.getApplication().getSystemService(Context.WINDOW_SERVICE);
    }

    @SuppressWarnings("deprecation")
    private static WindowManager.LayoutParams place(Toast toast) {
        WindowManager.LayoutParams params = new WindowManager.LayoutParams();
        params.width = WindowManager.LayoutParams.WRAP_CONTENT;
        params.height = WindowManager.LayoutParams.WRAP_CONTENT;
        params.format = PixelFormat.TRANSLUCENT;
        params.type = WindowManager.LayoutParams.TYPE_TOAST;
        params.flags = WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE | WindowManager.LayoutParams.FLAG_NOT_TOUCHABLE;
        params.gravity = toast.getGravity() != 0 ? toast.getGravity() : Gravity.BOTTOM | Gravity.CENTER_HORIZONTAL;
        params.x = toast.getXOffset();
        params.y = toast.getGravity() != 0 ? toast.getYOffset() : DISTANCE;
        params.setTitle(TITLE);
        return params;
    }
}
