package siamang.agent.jvm.robo.shared;

import java.lang.reflect.Field;

/**
 * A field of the framework or of Robolectric that is not for everybody, looked up once: some are read several times in every
 * step. One that is final can be written, too, unless it is static or a record's. Shared by both class loaders.
 */
public final class Hidden {
    private final Field field;

    public Hidden(Class<?> owner, String name) {
        try {
            field = owner.getDeclaredField(name);
            field.setAccessible(true);
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(owner.getName() + "." + name + " is not there: this is not the framework that the host was made for", e);
        }
    }

    /** A field of a class in a class, as such a class is not for everybody either. */
    public Hidden(Class<?> outer, String inner, String name) {
        this(inside(outer, inner), name);
    }

    private static Class<?> inside(Class<?> outer, String inner) {
        String name = outer.getName() + "$" + inner;
        try {
            return Class.forName(name, false, outer.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(name + " is not there: this is not the framework that the host was made for", e);
        }
    }

    public Class<?> type() {
        return field.getType();
    }

    @SuppressWarnings("unchecked")
    public <T> T of(Object owner) {
        try {
            return (T) field.get(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    public void put(Object owner, Object value) {
        try {
            field.set(owner, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
