package siamang.agent.tools;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import siamang.agent.device.Lookup;
import siamang.agent.device.Lookups;

/** The agent's own class files. */
final class AgentClasses {
    final Map<String, ClassFile> files = new TreeMap<String, ClassFile>();

    static AgentClasses read(File... roots) throws IOException {
        AgentClasses all = new AgentClasses();
        for (File root : roots) {
            all.readAll(root);
        }
        if (all.files.isEmpty()) {
            throw new IOException("no class files in " + Arrays.toString(roots) + ": compile the agent first");
        }
        return all;
    }

    /** Every class of the platform that the agent names but whose members it does not touch. */
    TreeSet<String> merelyNamed() {
        TreeSet<String> named = new TreeSet<String>();
        for (ClassFile file : files.values()) {
            for (String one : file.classes) {
                if (isAndroid(one) || isJava(one)) {
                    named.add(one);
                }
            }
        }
        named.removeAll(touched());
        return named;
    }

    /** Every class of the platform whose members the agent uses or inherits, directly or by its table of look-ups. */
    TreeSet<String> touched() {
        TreeSet<String> named = new TreeSet<String>();
        for (ClassFile file : files.values()) {
            add(named, file.superName);
            for (String one : file.interfaces) {
                add(named, one);
            }
            for (ClassFile.Reference reference : file.references) {
                add(named, reference.owner);
            }
        }
        for (Lookup lookup : Lookups.all()) {
            for (Lookup.Member member : lookup.members()) {
                named.add(member.className.replace('.', '/'));
            }
        }
        return named;
    }

    private static void add(TreeSet<String> to, String name) {
        if (name != null && (isAndroid(name) || isJava(name))) {
            to.add(name);
        }
    }

    static boolean isAndroid(String name) {
        return name.startsWith("android/") || name.startsWith("com/android/");
    }

    static boolean isJava(String name) {
        return name.startsWith("java/") || name.startsWith("javax/");
    }

    private void readAll(File at) throws IOException {
        File[] inside = at.listFiles();
        if (inside == null) {
            return;
        }
        Arrays.sort(inside);
        for (File one : inside) {
            if (one.isDirectory()) {
                readAll(one);
            } else if (one.getName().endsWith(".class")) {
                ClassFile file = new ClassFile(Files.readAllBytes(one.toPath()));
                files.put(file.name, file);
            }
        }
    }
}
