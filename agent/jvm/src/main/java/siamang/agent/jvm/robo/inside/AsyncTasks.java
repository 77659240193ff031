package siamang.agent.jvm.robo.inside;

import android.os.AsyncTask;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import siamang.agent.jvm.robo.shared.Hidden;
import siamang.agent.jvm.robo.shared.HiddenMethod;

/** The framework's own pools for the app's tasks. A process has new ones; Robolectric keeps them, with what they still have to do. */
final class AsyncTasks {
    private static final Hidden WAITING = new Hidden(AsyncTask.class, "SerialExecutor", "mTasks");
    private static final Hidden SPARE = new Hidden(AsyncTask.class, "sBackupExecutor");
    /** What Robolectric made of the class's initialisation. */
    private static final HiddenMethod INITIALIZE = new HiddenMethod(AsyncTask.class, "__staticInitializer__");

    private AsyncTasks() {
    }

    /** Before the threads are stopped: one that is stopped in a task goes on with the next. */
    static void end() {
        Object serial = AsyncTask.SERIAL_EXECUTOR;
        synchronized (serial) {
            WAITING.<Queue<?>>of(serial).clear();
        }
        ((ExecutorService) AsyncTask.THREAD_POOL_EXECUTOR).shutdownNow();
        ExecutorService spare = SPARE.of(null);
        if (spare != null) {
            spare.shutdownNow();
        }
    }

    static void begin() {
        INITIALIZE.call(null);
        // It is made when it is needed, also by a thread on its way out.
        SPARE.put(null, null);
    }
}
