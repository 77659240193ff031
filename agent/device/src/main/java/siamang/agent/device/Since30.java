package siamang.agent.device;

import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;

/** What exists from API 30 on. */
final class Since30 {
    static final int LEVEL = 30;

    private Since30() {
    }

    static CharSequence stateDescription(AccessibilityNodeInfo info) {
        return info.getStateDescription();
    }

    static int display(AccessibilityWindowInfo window) {
        return window.getDisplayId();
    }
}
