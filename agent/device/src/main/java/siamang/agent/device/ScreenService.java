package siamang.agent.device;

import android.hardware.display.DisplayManagerGlobal;
import android.os.IPowerManager;
import android.os.RemoteException;
import android.view.Display;
import android.view.DisplayInfo;
import android.view.IWindowManager;
import siamang.agent.core.AgentException;
import siamang.agent.core.Log;

/** Display, power and keyguard. */
final class ScreenService {
    private final IPowerManager power;
    private final IWindowManager windows;
    private final WmDisplay display = new WmDisplay();
    private volatile boolean asksThread;

    ScreenService() throws AgentException {
        power = IPowerManager.Stub.asInterface(Services.binder("power"));
        windows = IWindowManager.Stub.asInterface(Services.binder("window"));
    }

    /** Size, density and rotation of the main display, as it is turned now. */
    DisplayInfo display() {
        if (!asksThread) {
            try {
                DisplayInfo info = DisplayManagerGlobal.getInstance().getDisplayInfo(Display.DEFAULT_DISPLAY);
                if (info != null) {
                    return info;
                }
            } catch (RuntimeException e) {
                Log.note("the framework does not tell the display", e);
                asksThread = true;
            }
        }
        return display.turned(rotation());
    }

    private int rotation() {
        try {
            return (Integer) Lookups.ROTATION.find().call(windows);
        } catch (AgentException e) {
            Log.note("assuming an upright screen: " + e.getMessage());
            return 0;
        }
    }

    boolean isOn() throws AgentException {
        try {
            return power.isInteractive();
        } catch (RemoteException e) {
            throw Failures.of("ask whether the screen is on", e);
        }
    }

    boolean isLocked() throws AgentException {
        try {
            return windows.isKeyguardLocked();
        } catch (RemoteException e) {
            throw Failures.of("ask whether the screen is locked", e);
        }
    }

    /** A keyguard with a PIN stays; the caller looks again. */
    void dismissKeyguard() throws AgentException {
        Lookup.Found dismiss = Lookups.DISMISS_KEYGUARD.find();
        switch (dismiss.index) {
            case 0:
                dismiss.call(windows, null, null);
                break;
            case 1:
                dismiss.call(windows, new Object[] {null});
                break;
            default:
                dismiss.call(windows);
        }
    }
}
