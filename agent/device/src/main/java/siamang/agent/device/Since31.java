package siamang.agent.device;

import android.app.UiAutomation;
import android.view.InputEvent;
import java.util.concurrent.TimeoutException;

/** What exists from API 31 on. */
final class Since31 {
    static final int LEVEL = 31;

    private Since31() {
    }

    static void connect(UiAutomation automation, int flags, long ms) throws TimeoutException {
        automation.connectWithTimeout(flags, ms);
    }

    /** Without waiting for animations, which can take seconds. */
    static boolean inject(UiAutomation automation, InputEvent event) {
        return automation.injectInputEvent(event, true, false);
    }
}
