package siamang.agent.device;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.app.UiAutomation;
import android.app.UiAutomationConnection;
import android.os.Build;
import android.os.HandlerThread;
import java.util.concurrent.TimeoutException;
import siamang.agent.core.AgentException;
import siamang.agent.core.Log;

/** The one accessibility connection of the device, held by the shell. */
final class Automation {
    /** Since API 24: other accessibility services of the user go on running. */
    private static final int DONT_SUPPRESS = 1;
    private static final long CONNECT_MS = 10_000;
    private static final int TRIES = 3;
    private static final long RETRY_MS = 300;

    private final UiAutomation automation;
    private final HandlerThread thread;
    private AccessibilityServiceInfo info;

    private Automation(UiAutomation automation, HandlerThread thread) {
        this.automation = automation;
        this.thread = thread;
    }

    static Automation connect(boolean keepServices) throws AgentException, InterruptedException {
        AgentException last = null;
        for (int i = 0; i < TRIES; i++) {
            // A failed UiAutomation cannot be connected again, so each try has its own. Before 29 connect() waits
            // for a message on the looper it was given, so that must not be this thread's.
            HandlerThread thread = new HandlerThread("siamang-automation");
            thread.start();
            UiAutomation automation = new UiAutomation(thread.getLooper(), new UiAutomationConnection());
            try {
                connect(automation, keepServices ? DONT_SUPPRESS : 0);
                return new Automation(automation, thread);
            } catch (IllegalStateException e) {
                last = new AgentException(AgentException.NOT_CONNECTED, "another program holds the accessibility connection",
                        e.getMessage() + "; stop uiautomator, Appium, Maestro or a layout inspector on this device");
            } catch (TimeoutException e) {
                last = new AgentException(AgentException.NOT_CONNECTED, "the accessibility connection did not come up", String.valueOf(e.getMessage()));
            } catch (RuntimeException e) {
                last = new AgentException(AgentException.NOT_CONNECTED, "no accessibility connection", e.toString());
            }
            thread.quit();
            Thread.sleep(RETRY_MS);
        }
        throw last;
    }

    UiAutomation get() {
        return automation;
    }

    /** Asks for all windows and for view ids; {@code notImportant} also for views that accessibility would skip. */
    synchronized void look(boolean notImportant) {
        AccessibilityServiceInfo next = automation.getServiceInfo();
        next.flags |= AccessibilityServiceInfo.FLAG_RETRIEVE_INTERACTIVE_WINDOWS | AccessibilityServiceInfo.FLAG_REPORT_VIEW_IDS;
        if (notImportant) {
            next.flags |= AccessibilityServiceInfo.FLAG_INCLUDE_NOT_IMPORTANT_VIEWS;
        } else {
            next.flags &= ~AccessibilityServiceInfo.FLAG_INCLUDE_NOT_IMPORTANT_VIEWS;
        }
        automation.setServiceInfo(next);
        info = next;
    }

    /** A node that changed without an event stays old in the cache, so every look begins with an empty one. */
    synchronized void forgetCache() {
        if (Build.VERSION.SDK_INT >= Since34.LEVEL) {
            Since34.clearCache(automation);
        } else if (info != null) {
            // Has the side effect on all levels before.
            automation.setServiceInfo(info);
        }
    }

    void disconnect() {
        try {
            automation.disconnect();
        } catch (RuntimeException e) {
            Log.note("disconnecting accessibility", e);
        }
        thread.quit();
    }

    private static void connect(UiAutomation automation, int flags) throws TimeoutException {
        if (Build.VERSION.SDK_INT >= Since31.LEVEL) {
            Since31.connect(automation, flags, CONNECT_MS);
        } else if (Build.VERSION.SDK_INT >= Since24.LEVEL) {
            Since24.connect(automation, flags);
        } else {
            automation.connect();
        }
    }
}
