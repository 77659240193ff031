package siamang.agent.device;

import android.content.ClipData;
import android.content.IClipboard;
import siamang.agent.core.AgentException;

/** The clipboard. */
final class ClipboardService {
    private static final int DEFAULT_DEVICE = 0;

    private final IClipboard clipboard;

    ClipboardService() throws AgentException {
        clipboard = IClipboard.Stub.asInterface(Services.binder("clipboard"));
    }

    /** Null if it is empty, or if the system does not show it to a background caller (29 and later may not). */
    ClipData get() throws AgentException {
        Lookup.Found get = Lookups.GET_CLIP.find();
        switch (get.index) {
            case 0:
                return (ClipData) get.call(clipboard, Services.SHELL, null, Services.user(), DEFAULT_DEVICE);
            case 1:
                return (ClipData) get.call(clipboard, Services.SHELL, Services.user());
            default:
                return (ClipData) get.call(clipboard, Services.SHELL);
        }
    }

    void set(ClipData clip) throws AgentException {
        Lookup.Found set = Lookups.SET_CLIP.find();
        switch (set.index) {
            case 0:
                set.call(clipboard, clip, Services.SHELL, null, Services.user(), DEFAULT_DEVICE);
                break;
            case 1:
                set.call(clipboard, clip, Services.SHELL, Services.user());
                break;
            default:
                set.call(clipboard, clip, Services.SHELL);
        }
    }
}
