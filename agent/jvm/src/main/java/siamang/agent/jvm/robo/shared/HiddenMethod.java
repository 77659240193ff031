package siamang.agent.jvm.robo.shared;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * A method of the framework or of Robolectric that is not for everybody, looked up once: its class may have a thousand. Shared by
 * both class loaders.
 */
public final class HiddenMethod {
    private final Method method;

    public HiddenMethod(Class<?> owner, String name, Class<?>... arguments) {
        try {
            method = owner.getDeclaredMethod(name, arguments);
            method.setAccessible(true);
        } catch (NoSuchMethodException e) {
            String wanted = owner.getName() + "." + name + Arrays.toString(arguments);
            throw new IllegalStateException(wanted + " is not there: this is not the framework that the host was made for", e);
        }
    }

    /** What the method throws comes out as it is. */
    @SuppressWarnings("unchecked")
    public <T> T call(Object owner, Object... arguments) {
        try {
            return (T) method.invoke(owner, arguments);
        } catch (InvocationTargetException e) {
            throw HiddenMethod.<RuntimeException>unchecked(e.getTargetException());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
