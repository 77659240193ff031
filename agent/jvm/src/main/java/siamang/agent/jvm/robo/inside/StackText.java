package siamang.agent.jvm.robo.inside;

/** A stack as a phone would print it: without the frames that only the host puts between app and framework. */
final class StackText {
    private static final String[] HOSTS = {
        "siamang.agent.", "org.robolectric.", "jdk.internal.", "java.lang.invoke.", "java.lang.reflect.", "sun.reflect.",
    };
    private static final int MAX_CAUSES = 20;

    private StackText() {
    }

    static String of(Throwable e) {
        StringBuilder text = new StringBuilder();
        Throwable cause = e;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            text.append(i == 0 ? "" : "Caused by: ").append(describe(cause)).append('\n');
            append(cause.getStackTrace(), text);
            cause = cause.getCause() == cause ? null : cause.getCause();
        }
        return text.toString();
    }

    static void append(StackTraceElement[] stack, StringBuilder text) {
        StackTraceElement beneath = null;
        for (StackTraceElement frame : stack) {
            boolean twin = beneath != null && isTwin(frame, beneath);
            beneath = frame;
            if (!twin && isPhones(frame)) {
                text.append("\tat ").append(frame.getClassName()).append('.').append(method(frame)).append('(').append(place(frame)).append(")\n");
            }
        }
    }

    /** An exception's message is the app's code: it may fail too. */
    private static String describe(Throwable e) {
        try {
            return e.toString();
        } catch (RuntimeException | Error inner) {
            return e.getClass().getName();
        }
    }

    /** Robolectric gives each framework method a twin that only dispatches to it and has no line. */
    private static boolean isTwin(StackTraceElement frame, StackTraceElement beneath) {
        return frame.getLineNumber() < 0 && !frame.isNativeMethod() && frame.getClassName().equals(beneath.getClassName())
                && frame.getMethodName().equals(method(beneath));
    }

    private static boolean isPhones(StackTraceElement frame) {
        // A twin whose dispatching went through other frames.
        boolean dispatch = frame.getLineNumber() < 0 && frame.getClassName().startsWith("android.");
        if (dispatch || frame.getClassName().startsWith("java.util.concurrent.") && frame.getModuleName() != null && isPool(frame)) {
            return false;
        }
        for (String prefix : HOSTS) {
            if (frame.getClassName().startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }

    /** The executor below the main thread is Robolectric's; an app's own pool is recognised by the same frames, and they say nothing. */
    private static boolean isPool(StackTraceElement frame) {
        return frame.getClassName().startsWith("java.util.concurrent.ThreadPoolExecutor") || frame.getClassName().startsWith("java.util.concurrent.FutureTask");
    }

    /** The code beneath a dispatching twin has a name made of both. */
    private static String method(StackTraceElement frame) {
        String name = frame.getMethodName();
        String prefix = "$$robo$$" + frame.getClassName().replace('.', '_').replace('$', '_') + "$";
        return name.startsWith(prefix) ? name.substring(prefix.length()).replace("__constructor__", "<init>") : name;
    }

    private static String place(StackTraceElement frame) {
        if (frame.isNativeMethod()) {
            return "Native Method";
        }
        if (frame.getFileName() == null) {
            return "Unknown Source";
        }
        return frame.getLineNumber() < 0 ? frame.getFileName() : frame.getFileName() + ":" + frame.getLineNumber();
    }
}
