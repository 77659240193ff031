package siamang.agent.device;

import android.app.UiAutomation;
import android.hardware.input.IInputManager;
import android.os.Build;
import android.os.RemoteException;
import android.view.InputEvent;
import siamang.agent.core.AgentException;
import siamang.agent.core.EventSink;

/**
 * Injects input straight into the input manager. UiAutomation's own way waits for animations before and after, which makes a
 * tap cost up to seconds on API 34 and later, so it is only the way out where a vendor changed the interface.
 */
final class InputService {
    /** Wait until the app's window has got the event, not until it has dealt with it. */
    private static final int WAIT_FOR_RESULT = 1;
    private static final String SWITCH = "some makers have a switch for it: on Xiaomi phones \"USB debugging (Security settings)\" in the developer options";

    private final IInputManager manager;
    private final UiAutomation fallback;
    private final EventSink events;
    private boolean linked = true;

    InputService(UiAutomation fallback, EventSink events) throws AgentException {
        this.manager = IInputManager.Stub.asInterface(Services.binder("input"));
        this.fallback = fallback;
        this.events = events;
    }

    /**
     * Hands an event to whoever is there. That nobody takes it is no refusal: its window may just have gone, with a crash even.
     * {@code begins} says that the event begins something, so that it is told once.
     */
    void inject(InputEvent event, boolean begins) throws AgentException {
        boolean taken;
        try {
            taken = linked ? direct(event) : slow(event);
        } catch (SecurityException e) {
            throw new AgentException(AgentException.INJECT_DENIED, "the system refuses input from the shell", SWITCH + "; " + e.getMessage());
        } catch (RemoteException e) {
            throw Failures.of("inject input", e);
        }
        if (!taken && begins) {
            events.warn("input", "no window took it");
        }
    }

    private boolean direct(InputEvent event) throws RemoteException {
        try {
            return manager.injectInputEvent(event, WAIT_FOR_RESULT);
        } catch (LinkageError e) {
            linked = false;
            events.warn("input", "injecting through UiAutomation, which is slow: " + e);
            return slow(event);
        }
    }

    private boolean slow(InputEvent event) {
        return Build.VERSION.SDK_INT >= Since31.LEVEL ? Since31.inject(fallback, event) : fallback.injectInputEvent(event, true);
    }
}
