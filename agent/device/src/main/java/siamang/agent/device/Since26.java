package siamang.agent.device;

import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;

/** What exists from API 26 on. */
final class Since26 {
    static final int LEVEL = 26;

    private Since26() {
    }

    static CharSequence hint(AccessibilityNodeInfo info) {
        return info.getHintText();
    }

    /** An empty field reports its hint as its text. */
    static boolean showsHint(AccessibilityNodeInfo info) {
        return info.isShowingHintText();
    }

    static boolean isPictureInPicture(AccessibilityWindowInfo window) {
        return window.isInPictureInPictureMode();
    }
}
