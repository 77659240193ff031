package siamang.agent.device;

import android.app.UiAutomation;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;

/** What exists from API 24 on. */
final class Since24 {
    static final int LEVEL = 24;

    private Since24() {
    }

    static void connect(UiAutomation automation, int flags) {
        automation.connect(flags);
    }

    static boolean isImportant(AccessibilityNodeInfo info) {
        return info.isImportantForAccessibility();
    }

    static int drawingOrder(AccessibilityNodeInfo info) {
        return info.getDrawingOrder();
    }

    static CharSequence title(AccessibilityWindowInfo window) {
        return window.getTitle();
    }
}
