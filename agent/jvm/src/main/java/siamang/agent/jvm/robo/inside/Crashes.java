package siamang.agent.jvm.robo.inside;

import siamang.agent.core.EventSink;

/** Hears of everything that ends the app's process, on any thread, and says whose fault it is. */
final class Crashes implements Thread.UncaughtExceptionHandler {
    private static final int FROM_JVM = 3;
    private static final int MAX_STACK = 60_000;
    private static final long LAST_WORDS_MS = 300;

    private final JvmBackend device;

    Crashes(JvmBackend device) {
        this.device = device;
    }

    /** A thread that nobody caught for. Those of an earlier life, and those the host stopped, are no failure of this one. */
    @Override
    public void uncaughtException(Thread thread, Throwable e) {
        AppProcess process = device.process();
        if (e instanceof ThreadDeath || !process.owns(thread)) {
            return;
        }
        report(e, thread.getName());
    }

    /** The main thread: an app's own handler is asked first, as on a phone, and may end the process in its own way. */
    void caught(Throwable e, Thread main) {
        if (e instanceof ThreadDeath || device.process().isDead()) {
            return;
        }
        report(e, "main");
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        if (handler != null && handler != this) {
            try {
                handler.uncaughtException(main, e);
            } catch (Throwable ignored) {
                // The process is dead already; what its handler does wrong changes nothing.
            }
        }
    }

    void exited(String how) {
        AppProcess process = device.process();
        end(process, () -> device.events.exit(process.name, process.pid, how));
    }

    /**
     * The JVM ends, and the host ends it in another way: somebody did whose call was not seen. The words are on their way by
     * another thread, for which this one waits a moment.
     */
    void lastWords() {
        if (!device.process().isDead()) {
            exited("System.exit, which something called for the app");
            try {
                Thread.sleep(LAST_WORDS_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void hangs(StackTraceElement[] stack) {
        AppProcess process = device.process();
        StringBuilder reason = new StringBuilder("the main thread does not answer, in " + place(stack, process) + "\n");
        StackText.append(stack, reason);
        end(process, () -> device.events.anr(process.name, process.pid, cut(reason.toString()), FROM_JVM));
    }

    /** Tells first: a step is over as soon as the process is dead, and it is this step that the death belongs to. */
    private synchronized void end(AppProcess process, Runnable tell) {
        if (!process.isDead()) {
            try {
                tell.run();
            } finally {
                process.die();
            }
        }
    }

    private void report(Throwable e, String thread) {
        AppProcess process = device.process();
        String stack = cut(StackText.of(e));
        String fault = HostFaults.reason(e);
        String head = "FATAL EXCEPTION: " + thread;
        end(process, () -> {
            if (fault != null) {
                device.events.warn("host fault: " + fault, stack);
            } else {
                device.events.crash(new EventSink.CrashReport(process.name, process.pid, false, e.getClass().getName(), head, stack, FROM_JVM, 0));
            }
        });
    }

    /** The app's innermost method: that the loop was met in this or that line of it is chance. */
    private static String place(StackTraceElement[] stack, AppProcess process) {
        for (StackTraceElement frame : stack) {
            if (process.loads(frame.getClassName())) {
                return frame.getClassName() + "." + frame.getMethodName();
            }
        }
        return "the framework";
    }

    /** Telling of a failure failed: the process is over all the same, and whose fault this is is known. */
    void cannotTell(Throwable e) {
        end(device.process(), () -> device.events.warn("host fault: a failure of the app could not be told", cut(StackText.of(e))));
    }

    private static String cut(String text) {
        return text.length() > MAX_STACK ? text.substring(0, MAX_STACK) : text;
    }
}
