package dalvik.system;

import java.lang.reflect.Array;

/** Stands before the framework's class of this name on the tests' class path: a JVM is no Dalvik. */
public final class VMRuntime {
    private static final VMRuntime ONLY = new VMRuntime();

    private VMRuntime() {
    }

    public static VMRuntime getRuntime() {
        return ONLY;
    }

    public boolean is64Bit() {
        return true;
    }

    public Object newUnpaddedArray(Class<?> type, int length) {
        return Array.newInstance(type, length);
    }
}
