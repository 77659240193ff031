package siamang.agent.jvm.robo.inside;

import dalvik.system.VMRuntime;
import java.lang.ref.WeakReference;
import java.util.Map;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowVMRuntime;
import siamang.agent.jvm.robo.shared.Hidden;

/** What Robolectric keeps of ended lives because a test is over before it matters. Here one life follows another for a night. */
final class Leftovers {
    private static final Hidden ARRAYS = new Hidden(ShadowVMRuntime.class, "nonMovableArraysReverse");

    private Leftovers() {
    }

    /** Addresses of arrays that are gone: some hundred for every screen that was ever inflated. */
    static void forget() {
        forgetGone(ARRAYS.of(Shadow.extract(VMRuntime.getRuntime())));
    }

    static void forgetGone(Map<Long, WeakReference<Object>> arrays) {
        arrays.values().removeIf(array -> array.get() == null);
    }
}
