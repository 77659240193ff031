package siamang.agent.device;

import android.view.accessibility.AccessibilityNodeInfo;

/** What exists from API 28 on. */
final class Since28 {
    static final int LEVEL = 28;

    private Since28() {
    }

    static CharSequence paneTitle(AccessibilityNodeInfo info) {
        return info.getPaneTitle();
    }

    static CharSequence tooltip(AccessibilityNodeInfo info) {
        return info.getTooltipText();
    }

    static boolean isHeading(AccessibilityNodeInfo info) {
        return info.isHeading();
    }
}
