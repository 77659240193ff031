package siamang.agent.jvm.robo.inside;

import java.lang.reflect.Field;

/**
 * A field of the framework or of Robolectric that is not for everybody, looked up once: some are read several times in every
 * step. One that is final can be written, too, unless it is static or a record's.
 */
final class Hidden {
    private final Field field;

    Hidden(Class<?> owner, String name) {
        try {
            field = owner.getDeclaredField(name);
            field.setAccessible(true);
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(owner.getName() + "." + name + " is not there: this is not the framework that the host was made for", e);
        }
    }

    Class<?> type() {
        return field.getType();
    }

    @SuppressWarnings("unchecked")
    <T> T of(Object owner) {
        try {
            return (T) field.get(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    void put(Object owner, Object value) {
        try {
            field.set(owner, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
