package siamang.agent.device;

import android.app.UiAutomation;

/** What exists from API 34 on. */
final class Since34 {
    static final int LEVEL = 34;

    private Since34() {
    }

    static boolean clearCache(UiAutomation automation) {
        return automation.clearCache();
    }
}
