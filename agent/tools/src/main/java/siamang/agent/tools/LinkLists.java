package siamang.agent.tools;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Makes the list of one level from its framework jar: LEVEL VERSION JAR OUTPUT-DIRECTORY CLASSES... */
public final class LinkLists {
    static final int MAX_BYTES = 100_000;
    /** The jar of the oldest level also holds its java.*, which only ever grew since. */
    static final int JAVA_LEVEL = 21;

    private LinkLists() {
    }

    public static void main(String[] args) throws IOException {
        int level = Integer.parseInt(args[0]);
        File directory = new File(args[3]);
        File[] roots = new File[args.length - 4];
        for (int i = 0; i < roots.length; i++) {
            roots[i] = new File(args[4 + i]);
        }
        AgentClasses agent = AgentClasses.read(roots);
        ApiList android = new ApiList(level, args[1]);
        ApiList java = new ApiList(level, args[1]);
        try (ZipFile jar = new ZipFile(args[2])) {
            collect(jar, agent, android, java);
        }
        write(new File(directory, "api-" + level + ".txt"), android.print());
        if (level == JAVA_LEVEL) {
            write(new File(directory, "java-" + level + ".txt"), java.print());
        }
    }

    /**
     * Classes with all supertypes, since a member may be inherited; of a class that is only named, as in a cast, just the
     * line that says it exists. A class that the level lacks is not listed.
     */
    private static void collect(ZipFile jar, AgentClasses agent, ApiList android, ApiList java) throws IOException {
        ArrayDeque<String> open = new ArrayDeque<String>(agent.touched());
        TreeSet<String> seen = new TreeSet<String>();
        while (!open.isEmpty()) {
            String name = open.remove();
            ClassFile file = seen.add(name) ? find(jar, name) : null;
            if (file != null) {
                (AgentClasses.isAndroid(name) ? android : java).add(ApiList.Entry.of(file));
                if (file.superName != null) {
                    open.add(file.superName);
                }
                open.addAll(file.interfaces);
            }
        }
        for (String name : agent.merelyNamed()) {
            ClassFile file = seen.contains(name) ? null : find(jar, name);
            if (file != null) {
                (AgentClasses.isAndroid(name) ? android : java).add(ApiList.Entry.nameOf(file));
            }
        }
    }

    private static ClassFile find(ZipFile jar, String name) throws IOException {
        ZipEntry entry = jar.getEntry(name + ".class");
        return entry == null ? null : new ClassFile(read(jar, entry));
    }

    private static byte[] read(ZipFile jar, ZipEntry entry) throws IOException {
        byte[] bytes = new byte[(int) entry.getSize()];
        try (InputStream in = jar.getInputStream(entry)) {
            int have = 0;
            int got;
            while (have < bytes.length && (got = in.read(bytes, have, bytes.length - have)) > 0) {
                have += got;
            }
        }
        return bytes;
    }

    private static void write(File file, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_BYTES) {
            throw new IOException(file.getName() + " has " + bytes.length + " bytes, the limit is " + MAX_BYTES);
        }
        Files.write(file.toPath(), bytes);
        System.out.println(file.getName() + " " + bytes.length + " bytes");
    }
}
