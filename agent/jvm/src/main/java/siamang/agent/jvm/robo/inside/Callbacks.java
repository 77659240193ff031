package siamang.agent.jvm.robo.inside;

import java.util.ArrayList;
import java.util.List;

/**
 * The app's callbacks that were entered on the main thread since the last step, in order. What other threads enter has no
 * order that another run would repeat.
 */
final class Callbacks {
    /** As many as an answer holds. */
    private static final int MOST = 4_096;

    private static final List<String> ENTERED = new ArrayList<>();

    private Callbacks() {
    }

    static void entered(String name) {
        if (JvmBackend.get().main.isCurrent()) {
            synchronized (ENTERED) {
                if (ENTERED.size() < MOST) {
                    ENTERED.add(name);
                }
            }
        }
    }

    static List<String> take() {
        synchronized (ENTERED) {
            List<String> taken = List.copyOf(ENTERED);
            ENTERED.clear();
            return taken;
        }
    }
}
