package siamang.agent.device;

import android.app.UiAutomation;
import android.os.UserHandle;
import android.view.accessibility.AccessibilityNodeInfo;

/** What exists from API 23 on. A class of its own, so that an older device never has to link it; the link matrix knows the name. */
final class Since23 {
    static final int LEVEL = 23;

    private Since23() {
    }

    static boolean grant(UiAutomation automation, String pkg, String permission, int user) {
        return automation.grantRuntimePermission(pkg, permission, new UserHandle(user));
    }

    static boolean revoke(UiAutomation automation, String pkg, String permission, int user) {
        return automation.revokeRuntimePermission(pkg, permission, new UserHandle(user));
    }

    static boolean isContextClickable(AccessibilityNodeInfo info) {
        return info.isContextClickable();
    }
}
