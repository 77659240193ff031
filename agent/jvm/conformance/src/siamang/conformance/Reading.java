package siamang.conformance;

import android.graphics.Rect;
import android.os.Build;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;

/** The tree of a window as the framework's own accessibility answers it, one node a line: what every other reading must agree with. */
final class Reading {
    static String last = "";

    private Reading() {
    }

    static void take(View root) {
        StringBuilder lines = new StringBuilder();
        if (Build.VERSION.SDK_INT >= 34) {
            AccessibilityNodeInfo info = root.createAccessibilityNodeInfo();
            info.setQueryFromAppProcessEnabled(root, true);
            add(info, 0, lines);
        }
        last = lines.toString();
    }

    private static void add(AccessibilityNodeInfo info, int depth, StringBuilder lines) {
        Rect bounds = new Rect();
        info.getBoundsInScreen(bounds);
        CharSequence shown = info.isShowingHintText() ? null : info.getText();
        Object[] fields = {depth, text(info.getClassName()), text(info.getPackageName()), text(info.getViewIdResourceName()), text(shown),
            text(info.getContentDescription()), text(info.getHintText()), text(info.getStateDescription()), flags(info),
            bounds.left + "," + bounds.top + "," + bounds.right + "," + bounds.bottom, info.getInputType(), info.getDrawingOrder()};
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
            info.isEnabled(), info.isScrollable(), info.isPassword(), info.isSelected(), info.isEditable(), info.isVisibleToUser(), info.isDismissable()};
        StringBuilder flags = new StringBuilder();
        for (boolean flag : all) {
            flags.append(flag ? '1' : '0');
        }
        return flags.toString();
    }
}
