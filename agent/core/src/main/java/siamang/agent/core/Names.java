package siamang.agent.core;

import java.util.regex.Pattern;

/** Package, class and permission names are checked once, here, before any service sees them. */
public final class Names {
    private static final int MAX_NAME = 255;
    private static final String PART = "[A-Za-z_][A-Za-z0-9_]*";
    private static final Pattern PACKAGE = Pattern.compile(PART + "(\\." + PART + ")*");
    private static final Pattern CLASS = Pattern.compile("\\.?[A-Za-z_$][A-Za-z0-9_$]*(\\.[A-Za-z_$][A-Za-z0-9_$]*)*");
    private static final Pattern SNAPSHOT = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    /** A scheme and something behind it, without blanks and controls. What carries a whole intent inside is no address. */
    private static final Pattern ADDRESS = Pattern.compile("(?!(?i:intent|android-app|javascript|file|content):)[A-Za-z][A-Za-z0-9+.-]*:[\\x21-\\x7e]+");
    private static final int MAX_ADDRESS = 2000;

    private Names() {
    }

    public static String checkPackage(String name) throws AgentException {
        return check(PACKAGE, name, "package");
    }

    /** A class name as a manifest writes it; a leading dot means relative to the package. */
    public static String checkClass(String name) throws AgentException {
        return check(CLASS, name, "class");
    }

    public static String checkPermission(String name) throws AgentException {
        return check(PACKAGE, name, "permission");
    }

    public static String checkSnapshot(String name) throws AgentException {
        return check(SNAPSHOT, name, "snapshot");
    }

    public static String checkAddress(String address) throws AgentException {
        if (address.length() > MAX_ADDRESS || !ADDRESS.matcher(address).matches()) {
            throw ProtocolException.malformed("not an address to open: " + printable(address));
        }
        return address;
    }

    /** The full class name of an activity of a package. */
    public static String qualify(String pkg, String activity) {
        if (activity.startsWith(".")) {
            return pkg + activity;
        }
        return activity.indexOf('.') < 0 ? pkg + "." + activity : activity;
    }

    private static String check(Pattern pattern, String name, String what) throws AgentException {
        if (name.length() > MAX_NAME || !pattern.matcher(name).matches()) {
            throw ProtocolException.malformed("not a " + what + " name: " + printable(name));
        }
        return name;
    }

    private static String printable(String name) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < name.length() && i < 40; i++) {
            char c = name.charAt(i);
            out.append(c >= ' ' && c < 127 ? c : '?');
        }
        return out.toString();
    }
}
