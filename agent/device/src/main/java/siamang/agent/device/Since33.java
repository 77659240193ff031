package siamang.agent.device;

import android.view.accessibility.AccessibilityNodeInfo;

/** What exists from API 33 on. */
final class Since33 {
    static final int LEVEL = 33;

    private Since33() {
    }

    static CharSequence uniqueId(AccessibilityNodeInfo info) {
        return info.getUniqueId();
    }
}
