package siamang.agent.tools;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import siamang.agent.device.Lookup;
import siamang.agent.device.Lookups;

/**
 * Links the agent against every level of Android, as a device of that level would: each class and member that it names must be
 * there, each abstract method that it inherits must have a body, each reflective look-up must find one of its forms. A class
 * named SinceNN is linked from level NN on only.
 */
final class LinkChecker {
    static final int FIRST_LEVEL = 21;
    static final int LAST_LEVEL = 36;

    private static final Pattern SINCE = Pattern.compile(".*/Since(\\d+)(\\$.*)?");
    /** The one class that may reflect, with what it is made of. */
    private static final Pattern MAY_REFLECT = Pattern.compile("siamang/agent/device/Lookup(\\$.*)?");

    private final AgentClasses agent;
    private final List<Lookup> lookups;
    private final Map<Integer, ApiList> levels;
    private final ApiList java;
    /** What is wrong, and at which levels. */
    private final Map<String, TreeSet<Integer>> problems = new LinkedHashMap<String, TreeSet<Integer>>();

    private LinkChecker(AgentClasses agent, List<Lookup> lookups, Map<Integer, ApiList> levels, ApiList java) {
        this.agent = agent;
        this.lookups = lookups;
        this.levels = levels;
        this.java = java;
    }

    /** Each problem with its levels, one a line; empty if all is well. */
    static List<String> check(AgentClasses agent, List<Lookup> lookups, File lists) throws IOException {
        Map<Integer, ApiList> levels = new TreeMap<Integer, ApiList>();
        for (int level = FIRST_LEVEL; level <= LAST_LEVEL; level++) {
            levels.put(level, read(new File(lists, "api-" + level + ".txt")));
        }
        return check(agent, lookups, levels, read(new File(lists, "java-" + LinkLists.JAVA_LEVEL + ".txt")));
    }

    static List<String> check(AgentClasses agent, List<Lookup> lookups, Map<Integer, ApiList> levels, ApiList java) {
        LinkChecker checker = new LinkChecker(agent, lookups, levels, java);
        for (ClassFile file : agent.files.values()) {
            checker.checkReflection(file);
            checker.checkSince(file);
            for (ApiList level : levels.values()) {
                if (level.level >= since(file.name)) {
                    checker.checkClasses(file, level);
                    checker.checkMembers(file, level);
                    checker.checkBodies(file, level);
                }
            }
        }
        for (Lookup lookup : lookups) {
            for (ApiList level : levels.values()) {
                checker.checkLookup(lookup, level);
            }
        }
        List<String> lines = new ArrayList<String>();
        for (Map.Entry<String, TreeSet<Integer>> problem : checker.problems.entrySet()) {
            lines.add(problem.getKey() + (problem.getValue().isEmpty() ? "" : " at API " + ranges(problem.getValue())));
        }
        return lines;
    }

    static ApiList read(File file) throws IOException {
        try (InputStreamReader in = new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8)) {
            return ApiList.parse(in);
        }
    }

    private void checkReflection(ClassFile file) {
        if (MAY_REFLECT.matcher(file.name).matches()) {
            return;
        }
        for (ClassFile.Reference reference : file.references) {
            boolean ofClass = reference.owner.equals("java/lang/Class") && reference.name.matches("forName|get(Declared)?(Method|Field|Constructor)s?|newInstance");
            if (ofClass || reference.owner.startsWith("java/lang/reflect/")) {
                report(file.name + " reflects by itself (" + reference.owner + "." + reference.name + "), outside the table of look-ups", 0);
            }
        }
    }

    /** The guard compares with LEVEL, so LEVEL must say what the name says. */
    private void checkSince(ClassFile file) {
        int since = since(file.name);
        if (since == FIRST_LEVEL || file.name.contains("$")) {
            return;
        }
        for (ClassFile.Member member : file.members) {
            if (member.name.equals("LEVEL") && Integer.valueOf(since).equals(member.constant)) {
                return;
            }
        }
        report(file.name + " has no constant LEVEL = " + since, 0);
    }

    private void checkClasses(ClassFile file, ApiList level) {
        for (String name : new LinkedHashSet<String>(file.classes)) {
            if (AgentClasses.isAndroid(name) && level.get(name) == null) {
                report(file.name + " names " + name + ", which does not exist" + unlisted(name), level.level);
            }
        }
    }

    private void checkMembers(ClassFile file, ApiList level) {
        for (ClassFile.Reference reference : file.references) {
            if (AgentClasses.isAndroid(reference.owner)) {
                checkMember(file, reference, level);
            } else if (java.get(reference.owner) != null && level.level == java.level) {
                if (!find(reference.owner, ApiList.key(reference.name, reference.descriptor), level)) {
                    report(file.name + " uses " + member(reference) + ", which does not exist", level.level);
                }
            }
        }
    }

    private void checkMember(ClassFile file, ClassFile.Reference reference, ApiList level) {
        ApiList.Entry owner = level.get(reference.owner);
        if (owner == null) {
            return;
        }
        if (!find(reference.owner, ApiList.key(reference.name, reference.descriptor), level)) {
            report(file.name + " uses " + member(reference) + ", which does not exist", level.level);
        } else if (reference.descriptor.startsWith("(") && reference.ofInterface != owner.isInterface) {
            report(file.name + " uses " + member(reference) + " as a member of " + (owner.isInterface ? "a class, it is an interface" : "an interface, it is a class"),
                    level.level);
        }
    }

    /** A class that can be made must have a body for every method it inherits without one. */
    private void checkBodies(ClassFile file, ApiList level) {
        if ((file.access & (ClassFile.ABSTRACT | ClassFile.INTERFACE)) != 0) {
            return;
        }
        Set<String> bodies = new LinkedHashSet<String>();
        Map<String, String> bodiless = new LinkedHashMap<String, String>();
        gather(file.name, level, bodies, bodiless, new TreeSet<String>());
        for (Map.Entry<String, String> method : bodiless.entrySet()) {
            if (!bodies.contains(method.getKey())) {
                report(file.name + " has no body for " + method.getValue() + "." + method.getKey(), level.level);
            }
        }
    }

    private void gather(String name, ApiList level, Set<String> bodies, Map<String, String> bodiless, Set<String> seen) {
        if (name == null || !seen.add(name)) {
            return;
        }
        ClassFile own = agent.files.get(name);
        if (own != null) {
            for (ClassFile.Member member : own.members) {
                if (member.isMethod() && (member.access & ClassFile.ABSTRACT) == 0) {
                    bodies.add(member.name + member.descriptor);
                }
            }
            gather(own.superName, level, bodies, bodiless, seen);
            for (String one : own.interfaces) {
                gather(one, level, bodies, bodiless, seen);
            }
            return;
        }
        ApiList.Entry entry = AgentClasses.isAndroid(name) ? level.get(name) : null;
        if (entry == null) {
            return;
        }
        for (Map.Entry<String, String> member : entry.members.entrySet()) {
            if (member.getKey().contains("(")) {
                if (member.getValue().startsWith("a")) {
                    bodiless.put(member.getKey(), name);
                } else {
                    bodies.add(member.getKey());
                }
            }
        }
        gather(entry.superName, level, bodies, bodiless, seen);
        for (String one : entry.interfaces) {
            gather(one, level, bodies, bodiless, seen);
        }
    }

    private void checkLookup(Lookup lookup, ApiList level) {
        if (level.level < lookup.since()) {
            return;
        }
        StringBuilder forms = new StringBuilder();
        for (Lookup.Member member : lookup.members()) {
            String owner = member.className.replace('.', '/');
            if (has(owner, member, level)) {
                return;
            }
            forms.append(forms.length() == 0 ? "" : " or ").append(owner).append('.').append(member.name).append(member.isField ? "" : member.parameters().toString());
        }
        report("the look-up \"" + lookup.what() + "\" finds none of " + forms, level.level);
    }

    /** As getMethod and getField look: public members, inherited ones too; the result's type does not matter. */
    private boolean has(String owner, Lookup.Member member, ApiList level) {
        ApiList.Entry entry = level.get(owner);
        if (entry == null) {
            return false;
        }
        String start = member.isField ? member.name + ":" : member.name + parameters(member);
        for (Map.Entry<String, String> one : entry.members.entrySet()) {
            if (one.getKey().startsWith(start) && !one.getValue().contains("-")) {
                return true;
            }
        }
        if (has(entry.superName, member, level)) {
            return true;
        }
        for (String one : entry.interfaces) {
            if (has(one, member, level)) {
                return true;
            }
        }
        return false;
    }

    private static String parameters(Lookup.Member member) {
        StringBuilder out = new StringBuilder("(");
        for (String type : member.parameters()) {
            switch (type) {
                case "int":
                    out.append('I');
                    break;
                case "long":
                    out.append('J');
                    break;
                case "boolean":
                    out.append('Z');
                    break;
                default:
                    out.append('L').append(type.replace('.', '/')).append(';');
            }
        }
        return out.append(')').toString();
    }

    /** In the class or any of its supertypes. */
    private boolean find(String owner, String key, ApiList level) {
        ApiList.Entry entry = AgentClasses.isAndroid(owner) ? level.get(owner) : java.get(owner);
        if (entry == null) {
            // The list of java.* holds what the oldest framework jar has; java.lang itself is not in it.
            return AgentClasses.isJava(owner) && jdkHas(owner, key);
        }
        if (entry.members.containsKey(key) || find(entry.superName, key, level)) {
            return true;
        }
        for (String one : entry.interfaces) {
            if (find(one, key, level)) {
                return true;
            }
        }
        return entry.isInterface && find("java/lang/Object", key, level);
    }

    /** Only asked of java.lang, which the framework jars lack: of supertypes like Object and Exception, by name. */
    private static boolean jdkHas(String owner, String key) {
        try {
            for (Class<?> at = Class.forName(owner.replace('/', '.')); at != null; at = at.getSuperclass()) {
                for (Method method : at.getDeclaredMethods()) {
                    if (key.startsWith(method.getName() + "(")) {
                        return true;
                    }
                }
            }
        } catch (ClassNotFoundException e) {
            return false;
        }
        return false;
    }

    private String unlisted(String name) {
        for (ApiList level : levels.values()) {
            if (level.get(name) != null) {
                return "";
            }
        }
        return " in any list; if it is new, run scripts/link-lists";
    }

    private void report(String what, int level) {
        TreeSet<Integer> at = problems.get(what);
        if (at == null) {
            at = new TreeSet<Integer>();
            problems.put(what, at);
        }
        if (level != 0) {
            at.add(level);
        }
    }

    private static int since(String name) {
        Matcher matcher = SINCE.matcher(name);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : FIRST_LEVEL;
    }

    private static String member(ClassFile.Reference reference) {
        return reference.owner + "." + ApiList.key(reference.name, reference.descriptor);
    }

    /** Like "21-23, 30". */
    static String ranges(TreeSet<Integer> levels) {
        StringBuilder out = new StringBuilder();
        Integer[] all = levels.toArray(new Integer[0]);
        for (int i = 0; i < all.length; ) {
            int end = i;
            while (end + 1 < all.length && all[end + 1] == all[end] + 1) {
                end++;
            }
            out.append(out.length() == 0 ? "" : ", ").append(all[i]).append(end == i ? "" : "-" + all[end]);
            i = end + 1;
        }
        return out.toString();
    }

    /** LISTS CLASSES...: prints the problems and exits with 1 if there are any. */
    public static void main(String[] args) throws IOException {
        File[] roots = new File[args.length - 1];
        for (int i = 0; i < roots.length; i++) {
            roots[i] = new File(args[1 + i]);
        }
        List<String> problems = check(AgentClasses.read(roots), Lookups.all(), new File(args[0]));
        for (String problem : problems) {
            System.out.println(problem);
        }
        System.out.println(problems.isEmpty() ? "the agent links at API " + FIRST_LEVEL + "-" + LAST_LEVEL : problems.size() + " problems");
        if (!problems.isEmpty()) {
            System.exit(1);
        }
    }
}
