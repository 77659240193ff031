package siamang.agent.jvm.robo.inside;

import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.graphics.Rect;
import android.view.View;
import android.view.WindowManager;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import siamang.agent.core.AgentException;
import siamang.agent.core.Config;
import siamang.agent.core.Eyes;
import siamang.agent.core.Node;
import siamang.agent.core.Pace;
import siamang.agent.core.Screen;
import siamang.agent.core.Settled;
import siamang.agent.core.Shot;
import siamang.agent.core.Top;
import siamang.agent.core.Window;
import siamang.agent.jvm.robo.shared.Hidden;

/** Reads the app's windows, or the home screen where there is none. */
final class JvmEyes implements Eyes {
    private static final int JPEG_QUALITY = 80;
    /** Of View.AttachInfo.mAccessibilityFetchFlags, API 34: FLAG_REPORT_VIEW_IDS and FLAG_INCLUDE_NOT_IMPORTANT_VIEWS. */
    private static final int REPORT_VIEW_IDS = 0x100;
    private static final int NOT_IMPORTANT_VIEWS = 0x80;

    private static final Hidden ATTACHED = new Hidden(View.class, "mAttachInfo");
    private static final Hidden FETCH_FLAGS = new Hidden(ATTACHED.type(), "mAccessibilityFetchFlags");

    private final JvmBackend device;

    JvmEyes(JvmBackend device) {
        this.device = device;
    }

    @Override
    public Screen screen(Config config) throws AgentException {
        List<Window> windows = new ArrayList<>();
        Top[] top = new Top[1];
        device.main.act(() -> {
            List<Windows.Pane> panes = device.windows.panes();
            Windows.Pane focused = device.windows.focusable();
            if (device.question.isShown()) {
                windows.add(device.question.window(panes.size()));
            }
            if (device.keyboard.isShown()) {
                Rect at = device.keyboard.bounds();
                int[] bounds = {at.left, at.top, at.right, at.bottom};
                windows.add(new Window(panes.size() + 1, Window.INPUT_METHOD, panes.size(), 0, 0, bounds, "InputMethod", SystemNode.keyboard(bounds)));
            }
            for (int i = panes.size() - 1; i >= 0; i--) {
                windows.add(window(panes.get(i), i, panes.get(i).root == (focused == null ? null : focused.root), config));
            }
            ActivityRecord record = TaskStack.get().top();
            top[0] = record == null ? null : new Top(record.info.packageName, record.className(), Top.FROM_CONTROLLER);
        });
        AppProcess process = device.process();
        if (process.isDead() && !device.main.isBroken()) {
            // Nobody has waited for its other threads, and what they have covered is told with this screen.
            device.main.call(() -> device.threads.await(process, true));
        }
        if (windows.isEmpty() || process.isDead()) {
            windows.clear();
            windows.add(home());
            top[0] = null;
        }
        Top front = top[0] == null ? new Top(SystemNode.HOME, "", Top.FROM_CONTROLLER) : top[0];
        return new Screen(device.rotation(), device.width(), device.height(), front, windows, false);
    }

    private Window home() {
        int[] bounds = {0, 0, device.width(), device.height()};
        return new Window(0, Window.APPLICATION, 0, Window.ACTIVE | Window.FOCUSED, 0, bounds, "Home", SystemNode.home(bounds));
    }

    private static Window window(Windows.Pane pane, int layer, boolean focused, Config config) {
        int[] at = new int[2];
        pane.root.getLocationOnScreen(at);
        int[] bounds = {at[0], at[1], at[0] + pane.root.getWidth(), at[1] + pane.root.getHeight()};
        Object attach = ATTACHED.of(pane.root);
        if (attach != null) {
            FETCH_FLAGS.put(attach, REPORT_VIEW_IDS | (config.has(Config.NOT_IMPORTANT) ? NOT_IMPORTANT_VIEWS : 0));
        }
        int flags = focused ? Window.ACTIVE | Window.FOCUSED : 0;
        CharSequence title = pane.params.accessibilityTitle != null ? pane.params.accessibilityTitle : pane.params.getTitle();
        return new Window(layer + 1, Window.APPLICATION, layer, flags, 0, bounds, title, ViewNode.read(pane.root, config.maxDepth));
    }

    @Override
    public Node focused() throws AgentException {
        Node[] found = new Node[1];
        device.main.act(() -> {
            Windows.Pane pane = device.windows.focusable();
            View view = pane == null ? null : pane.root.findFocus();
            found[0] = view == null ? null : ViewNode.single(view);
        });
        return found[0];
    }

    @Override
    public Top top() throws AgentException {
        Top[] top = new Top[1];
        device.main.act(() -> {
            ActivityRecord record = TaskStack.get().top();
            top[0] = record == null ? null : new Top(record.info.packageName, record.className(), Top.FROM_CONTROLLER);
        });
        return top[0] == null ? new Top(SystemNode.HOME, "", Top.FROM_CONTROLLER) : top[0];
    }

    @Override
    public void arm() {
    }

    @Override
    public Settled settle(Pace pace) throws AgentException {
        Settled[] settled = {new Settled(Settled.QUIET, 0, 0)};
        device.main.act(() -> settled[0] = device.loop.settle(pace));
        return settled[0];
    }

    @Override
    public Shot shot(int format, int percent) throws AgentException {
        Shot[] shot = new Shot[1];
        device.main.call(() -> shot[0] = draw(format, percent));
        return shot[0];
    }

    private Shot draw(int format, int percent) {
        Bitmap bitmap = Bitmap.createBitmap(device.width(), device.height(), Bitmap.Config.ARGB_8888);
        Canvas canvas = new Canvas(bitmap);
        List<Windows.Pane> panes = device.process().isDead() ? List.of() : device.windows.panes();
        for (Windows.Pane pane : panes) {
            if (pane.root.getWidth() <= 0) {
                continue;
            }
            if (pane.has(WindowManager.LayoutParams.FLAG_DIM_BEHIND)) {
                canvas.drawColor((int) (pane.params.dimAmount * 255) << 24);
            }
            int[] at = new int[2];
            pane.root.getLocationOnScreen(at);
            canvas.save();
            canvas.translate(at[0], at[1]);
            pane.root.draw(canvas);
            canvas.restore();
        }
        if (!panes.isEmpty() && device.keyboard.isShown()) {
            Paint grey = new Paint();
            grey.setColor(Color.LTGRAY);
            canvas.drawRect(device.keyboard.bounds(), grey);
        }
        if (!panes.isEmpty() && device.question.isShown()) {
            device.question.draw(canvas);
        }
        Bitmap scaled = percent == 100 ? bitmap : Bitmap.createScaledBitmap(bitmap,
                Math.max(1, device.width() * percent / 100), Math.max(1, device.height() * percent / 100), true);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        scaled.compress(format == Shot.PNG ? Bitmap.CompressFormat.PNG : Bitmap.CompressFormat.JPEG, JPEG_QUALITY, out);
        return new Shot(format, scaled.getWidth(), scaled.getHeight(), out.toByteArray());
    }
}
