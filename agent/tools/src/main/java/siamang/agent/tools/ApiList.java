package siamang.agent.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one level of Android has, of the classes that the agent names. As text, one line a class and one a member: a change
 * in a list can be read in a diff. Left out is what no other package can link: private and package-private members, constants,
 * which javac copies, and what compilers add.
 */
final class ApiList {
    /** The types that make up most descriptors, shortened in the text; "%%" is the class itself. */
    private static final String[][] WORDS = {
        {"Ljava/lang/String;", "%s"}, {"Landroid/os/IBinder;", "%b"}, {"Ljava/util/List;", "%l"}, {"Landroid/content/Intent;", "%i"},
        {"Landroid/os/Parcel;", "%q"}, {"Landroid/os/Bundle;", "%d"}, {"Ljava/lang/CharSequence;", "%z"}, {"Landroid/content/ComponentName;", "%m"},
        {"Landroid/content/pm/", "%p"}, {"Landroid/content/", "%c"}, {"Landroid/app/", "%a"}, {"Landroid/os/", "%o"},
        {"Landroid/view/accessibility/Accessibility", "%x"}, {"Landroid/view/", "%v"}, {"Landroid/graphics/", "%g"}, {"Landroid/util/", "%u"},
        {"Landroid/hardware/", "%h"}, {"Lcom/android/internal/", "%n"}, {"Ljava/lang/", "%j"}, {"Ljava/util/", "%y"}, {"Ljava/io/", "%e"}, {"Landroid/window/", "%w"},
    };

    final int level;
    final String source;
    private final Map<String, Entry> classes = new TreeMap<String, Entry>();

    /** A class of the framework. */
    static final class Entry {
        final String name;
        final boolean isInterface;
        final boolean isAbstract;
        final String superName;
        final List<String> interfaces = new ArrayList<String>();
        /** Name and descriptor of each member, with "a" if it is abstract, "-" if it is not public, "s" if it is static. */
        final Map<String, String> members = new LinkedHashMap<String, String>();

        Entry(String name, boolean isInterface, boolean isAbstract, String superName) {
            this.name = name;
            this.isInterface = isInterface;
            this.isAbstract = isAbstract;
            this.superName = superName;
        }

        /** The class without its members. */
        static Entry nameOf(ClassFile file) {
            boolean isInterface = (file.access & ClassFile.INTERFACE) != 0;
            boolean isAbstract = (file.access & ClassFile.ABSTRACT) != 0;
            Entry entry = new Entry(file.name, isInterface, isAbstract, file.superName == null ? "-" : file.superName);
            entry.interfaces.addAll(file.interfaces);
            return entry;
        }

        static Entry of(ClassFile file) {
            Entry entry = nameOf(file);
            Map<String, String> sorted = new TreeMap<String, String>();
            for (ClassFile.Member member : file.members) {
                boolean generated = member.name.startsWith("access$") || member.name.startsWith("lambda$") || member.name.contains("$$") || member.name.equals("<clinit>");
                boolean linkable = (member.access & (ClassFile.PUBLIC | ClassFile.PROTECTED)) != 0;
                if (linkable && member.constant == null && !generated) {
                    boolean bodiless = (member.access & ClassFile.ABSTRACT) != 0;
                    String marks = (bodiless ? "a" : "") + ((member.access & ClassFile.PUBLIC) == 0 ? "-" : "") + ((member.access & ClassFile.STATIC) != 0 ? "s" : "");
                    sorted.put(key(member.name, member.descriptor), marks);
                }
            }
            entry.members.putAll(sorted);
            return entry;
        }
    }

    ApiList(int level, String source) {
        this.level = level;
        this.source = source;
    }

    static String key(String name, String descriptor) {
        return descriptor.startsWith("(") ? name + descriptor : name + ":" + descriptor;
    }

    void add(Entry entry) {
        classes.put(entry.name, entry);
    }

    Entry get(String name) {
        return classes.get(name);
    }

    String print() {
        StringBuilder out = new StringBuilder();
        out.append("# API ").append(level).append(", org.robolectric:android-all:").append(source).append("; made by scripts/link-lists\n");
        for (Entry entry : classes.values()) {
            out.append(entry.isInterface ? "interface " : entry.isAbstract ? "abstract " : "class ").append(entry.name).append(' ').append(entry.superName);
            for (String one : entry.interfaces) {
                out.append(' ').append(one);
            }
            out.append('\n');
            String before = "";
            for (Map.Entry<String, String> member : entry.members.entrySet()) {
                String memberName = name(member.getKey());
                String type = member.getKey().substring(memberName.length());
                out.append(' ').append(memberName.equals(before) ? "" : memberName).append(shorten(type, entry.name));
                before = memberName;
                String marks = entry.isInterface ? swapAbstract(member.getValue()) : member.getValue();
                out.append(marks.isEmpty() ? "" : " " + marks).append('\n');
            }
        }
        return out.toString();
    }

    static ApiList parse(Reader text) throws IOException {
        BufferedReader in = new BufferedReader(text);
        String head = in.readLine();
        if (head == null || !head.matches("# API \\d+, org\\.robolectric:android-all:\\S+; .*")) {
            throw new IOException("not a list: " + head);
        }
        String[] words = head.split("[ ,;]+");
        ApiList list = new ApiList(Integer.parseInt(words[2]), words[3].substring(words[3].lastIndexOf(':') + 1));
        Entry entry = null;
        String before = "";
        String line;
        while ((line = in.readLine()) != null) {
            String[] parts = line.trim().split(" ");
            if (line.startsWith(" ")) {
                String marks = parts.length > 1 ? parts[1] : "";
                String memberName = name(parts[0]);
                before = memberName.isEmpty() ? before : memberName;
                String type = expand(parts[0].substring(memberName.length()), entry.name);
                entry.members.put(before + type, entry.isInterface ? swapAbstract(marks) : marks);
                continue;
            }
            before = "";
            entry = new Entry(parts[1], parts[0].equals("interface"), !parts[0].equals("class"), parts[2]);
            for (int i = 3; i < parts.length; i++) {
                entry.interfaces.add(parts[i]);
            }
            list.add(entry);
        }
        return list;
    }

    /** What stands before the type: empty in the text if it is the name of the line before. */
    private static String name(String member) {
        int type = member.indexOf('(');
        return member.substring(0, type < 0 ? member.indexOf(':') : type);
    }

    /** In an interface a body is the exception, and is marked "a" in the text instead. */
    private static String swapAbstract(String marks) {
        return marks.startsWith("a") ? marks.substring(1) : "a" + marks;
    }

    private static String shorten(String member, String owner) {
        String out = member.replace("L" + owner + ";", "%%");
        for (String[] word : WORDS) {
            out = out.replace(word[0], word[1]);
        }
        return out;
    }

    private static String expand(String text, String owner) {
        String out = text.replace("%%", "L" + owner + ";");
        for (String[] word : WORDS) {
            out = out.replace(word[1], word[0]);
        }
        return out;
    }
}
