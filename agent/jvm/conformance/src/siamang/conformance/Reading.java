package siamang.conformance;

import android.annotation.TargetApi;
import android.content.Intent;
import android.graphics.Rect;
import android.os.Build;
import android.view.KeyEvent;
import android.view.View;
import android.view.ViewTreeObserver;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.inspector.WindowInspector;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/**
 * The trees of all windows of the app as the framework's own accessibility answers them, one node a line: what every other reading
 * must agree with. F12 reads every view, F11 those that matter to somebody who cannot see: no window wants these keys for itself.
 */
final class Reading {
    /** Of AccessibilityNodeInfo, API 34: a service wants the views that are not important, too. */
    private static final int NOT_IMPORTANT_VIEWS = 0x80;
    private static final int FLAGS_OF_A_QUESTION = 4;

    static String last = "";
    private static boolean asService;

    private Reading() {
    }

    /** True if it was a key that reads. */
    static boolean answer(Page page, KeyEvent event) {
        boolean all = event.getKeyCode() == KeyEvent.KEYCODE_F12;
        if (!all && event.getKeyCode() != KeyEvent.KEYCODE_F11) {
            return false;
        }
        if (event.getAction() == KeyEvent.ACTION_UP) {
            if (Build.VERSION.SDK_INT >= 34) {
                take(!all);
            }
            page.startActivity(new Intent(page, ReadingPage.class));
        }
        return true;
    }

    /** A window without a page, such as a dialog's or a menu's, tells of the keys that nobody in it wanted. */
    static void listen(Page page) {
        if (Build.VERSION.SDK_INT >= 34) {
            Since34.listen(page);
        }
    }

    /** Lowest window first. One that nobody can see, as that of a stopped page, is none. */
    @TargetApi(34)
    private static void take(boolean important) {
        StringBuilder lines = new StringBuilder();
        asService = important;
        for (View root : WindowInspector.getGlobalWindowViews()) {
            if (root.getWindowVisibility() == View.VISIBLE && root.isShown()) {
                AccessibilityNodeInfo info = root.createAccessibilityNodeInfo();
                info.setQueryFromAppProcessEnabled(root, true);
                if (important) {
                    askAsService(info);
                }
                // It was described before anybody had said how it is asked for.
                info.refresh();
                add(info, 0, lines);
            }
        }
        last = lines.toString();
    }

    /**
     * An app that asks about itself is told of every view; a service must say that it wants them all. So its question is made
     * that of a service that did not.
     */
    private static void askAsService(AccessibilityNodeInfo info) {
        try {
            Method connection = Class.forName("android.view.accessibility.AccessibilityInteractionClient").getMethod("getConnection", int.class);
            Object asking = connection.invoke(null, AccessibilityNodeInfo.class.getMethod("getConnectionId").invoke(info));
            Field answering = asking.getClass().getDeclaredField("mAccessibilityInteractionConnection");
            answering.setAccessible(true);
            final Object window = answering.get(asking);
            if (Proxy.isProxyClass(window.getClass())) {
                return;
            }
            Class<?> type = answering.getType();
            answering.set(asking, Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new InvocationHandler() {
                @Override
                public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
                    if (asService && method.getName().equals("findAccessibilityNodeInfoByAccessibilityId")) {
                        arguments[FLAGS_OF_A_QUESTION] = (Integer) arguments[FLAGS_OF_A_QUESTION] & ~NOT_IMPORTANT_VIEWS;
                    }
                    try {
                        return method.invoke(window, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }
            }));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void add(AccessibilityNodeInfo info, int depth, StringBuilder lines) {
        Rect bounds = new Rect();
        info.getBoundsInScreen(bounds);
        CharSequence shown = info.isShowingHintText() ? null : info.getText();
        Object[] fields = {depth, text(info.getClassName()), text(info.getPackageName()), text(info.getViewIdResourceName()), text(shown),
            text(info.getContentDescription()), text(info.getHintText()), text(info.getStateDescription()), flags(info),
            bounds.left + "," + bounds.top + "," + bounds.right + "," + bounds.bottom, info.getInputType(), info.getDrawingOrder(), actions(info)};
        for (Object field : fields) {
            lines.append(field).append('|');
        }
        lines.append('\n');
        for (int i = 0; i < info.getChildCount(); i++) {
            AccessibilityNodeInfo child = info.getChild(i);
            if (child != null) {
                add(child, depth + 1, lines);
            }
        }
    }

    private static String text(CharSequence text) {
        return text == null ? "" : text.toString().replace('\n', ' ');
    }

    private static String flags(AccessibilityNodeInfo info) {
        boolean[] all = {info.isCheckable(), info.isChecked(), info.isClickable(), info.isLongClickable(), info.isFocusable(), info.isFocused(),
            info.isEnabled(), info.isScrollable(), info.isPassword(), info.isSelected(), info.isEditable(), info.isVisibleToUser(), info.isDismissable(),
            info.isContentInvalid()};
        StringBuilder flags = new StringBuilder();
        for (boolean flag : all) {
            flags.append(flag ? '1' : '0');
        }
        return flags.toString();
    }

    private static String actions(AccessibilityNodeInfo info) {
        List<Integer> ids = new ArrayList<Integer>();
        for (AccessibilityNodeInfo.AccessibilityAction action : info.getActionList()) {
            ids.add(action.getId());
        }
        return ids.toString();
    }

    /** What an older phone does not have is in a class of its own, which it never loads. */
    private static final class Since34 implements View.OnUnhandledKeyEventListener, ViewTreeObserver.OnWindowFocusChangeListener {
        private final Page page;

        private Since34(Page page) {
            this.page = page;
        }

        static void listen(Page page) {
            for (View root : WindowInspector.getGlobalWindowViews()) {
                if (root.getTag() == null && root != page.getWindow().getDecorView()) {
                    root.setTag(page);
                    Since34 listener = new Since34(page);
                    root.addOnUnhandledKeyEventListener(listener);
                    root.getViewTreeObserver().addOnWindowFocusChangeListener(listener);
                }
            }
        }

        /** A menu has brought another one. */
        @Override
        public void onWindowFocusChanged(boolean hasFocus) {
            if (!hasFocus) {
                listen(page);
            }
        }

        @Override
        public boolean onUnhandledKeyEvent(View view, KeyEvent event) {
            return answer(page, event);
        }
    }
}
