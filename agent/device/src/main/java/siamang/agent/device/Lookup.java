package siamang.agent.device;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import siamang.agent.core.AgentException;

/**
 * A hidden member whose form changed between Android versions: the alternatives, newest first. The only place in the agent
 * that reflects; the link matrix reads the same alternatives and proves that each level has one.
 */
public final class Lookup {
    private final String what;
    private final int since;
    private final List<Member> members = new ArrayList<Member>();
    private Found found;

    private Lookup(String what, int since) {
        this.what = what;
        this.since = since;
    }

    /** Something that every level we support has in one of its forms. */
    static Lookup of(String what) {
        return new Lookup(what, 21);
    }

    /** Something that exists only from a level on. */
    static Lookup since(int level, String what) {
        return new Lookup(what, level);
    }

    Lookup method(String className, String name, String... parameters) {
        members.add(new Member(className, name, false, parameters));
        return this;
    }

    Lookup field(String className, String name) {
        members.add(new Member(className, name, true, new String[0]));
        return this;
    }

    public String what() {
        return what;
    }

    public int since() {
        return since;
    }

    public List<Member> members() {
        return Collections.unmodifiableList(members);
    }

    /** The first alternative that this device has. */
    synchronized Found find() throws AgentException {
        if (found == null) {
            for (int i = 0; i < members.size() && found == null; i++) {
                found = members.get(i).resolve(i, what);
            }
        }
        if (found == null) {
            throw new AgentException(AgentException.UNSUPPORTED, "this device cannot " + what, "none of " + members.size() + " known forms exists");
        }
        return found;
    }

    /** One form of the member. */
    public static final class Member {
        public final String className;
        public final String name;
        public final boolean isField;
        private final String[] parameters;

        Member(String className, String name, boolean isField, String[] parameters) {
            this.className = className;
            this.name = name;
            this.isField = isField;
            this.parameters = parameters;
        }

        public List<String> parameters() {
            List<String> copy = new ArrayList<String>();
            Collections.addAll(copy, parameters);
            return copy;
        }

        private Found resolve(int index, String what) {
            try {
                Class<?> owner = Class.forName(className);
                if (isField) {
                    return new Found(index, what, null, owner.getField(name));
                }
                Class<?>[] types = new Class<?>[parameters.length];
                for (int i = 0; i < types.length; i++) {
                    types[i] = type(parameters[i]);
                }
                return new Found(index, what, owner.getMethod(name, types), null);
            } catch (ReflectiveOperationException e) {
                return null;
            }
        }

        private static Class<?> type(String name) throws ClassNotFoundException {
            switch (name) {
                case "int":
                    return int.class;
                case "long":
                    return long.class;
                case "boolean":
                    return boolean.class;
                default:
                    return Class.forName(name);
            }
        }
    }

    /** The form that this device has; {@link #index} tells the caller which arguments it takes. */
    static final class Found {
        final int index;
        private final String what;
        private final Method method;
        private final Field field;

        Found(int index, String what, Method method, Field field) {
            this.index = index;
            this.what = what;
            this.method = method;
            this.field = field;
        }

        Object call(Object on, Object... arguments) throws AgentException {
            try {
                return method.invoke(on, arguments);
            } catch (InvocationTargetException e) {
                throw Failures.of(what, e.getCause());
            } catch (IllegalAccessException e) {
                throw Failures.of(what, e);
            }
        }

        Object get(Object on) throws AgentException {
            try {
                return field.get(on);
            } catch (IllegalAccessException e) {
                throw Failures.of(what, e);
            }
        }
    }
}
