package siamang.agent.jvm;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import siamang.agent.jvm.robo.BindingPatches;
import siamang.agent.jvm.robo.DirectCalls;
import siamang.agent.jvm.robo.NamePatches;
import siamang.agent.jvm.robo.ResourcePatches;

/** Done once after the downloads, so that every start is quick: {@code SetUp JARS SDK_JAR OUT}. */
public final class SetUp {
    private SetUp() {
    }

    public static void main(String[] args) throws IOException {
        Path out = Path.of(args[2]);
        for (Path jar : Files.newDirectoryStream(Path.of(args[0]), "nativeruntime-dist-compat-*.jar")) {
            unpackNatives(jar, out.resolve("natives"));
        }
        writeStub(out.resolve("stub"));
        patchResources(Path.of(args[0]), out.resolve("stub"));
        patchBinding(Path.of(args[0]), out.resolve("stub"));
        dropSignatures(Path.of(args[0]), out.resolve("unsigned"));
        Path sdk = Path.of(args[1]);
        Path framework = out.resolve("framework");
        Files.createDirectories(framework);
        store(sdk, framework.resolve(sdk.getFileName()), framework.resolve("resources.jar"), DirectCalls.of(shadows(Path.of(args[0]))));
    }

    /** What is in the stub's folder is found before Robolectric's own. */
    private static void patchResources(Path jars, Path to) throws IOException {
        for (Path path : Files.newDirectoryStream(jars, "resources-*.jar")) {
            for (Map.Entry<String, byte[]> edited : ResourcePatches.apply(name -> bytes(path, name)).entrySet()) {
                write(to, edited.getKey(), edited.getValue());
            }
        }
    }

    private static void patchBinding(Path jars, Path to) throws IOException {
        for (Path path : Files.newDirectoryStream(jars, "sandbox-*.jar")) {
            write(to, BindingPatches.SUPPORT, BindingPatches.apply(bytes(path, BindingPatches.SUPPORT)));
            write(to, NamePatches.CONFIGURATION, NamePatches.apply(bytes(path, NamePatches.CONFIGURATION)));
        }
    }

    /**
     * Copies of the signed jars without their signatures. Each file was compared with its pinned hash when it came; a JVM would
     * compare every class with its own again, at every start.
     */
    static void dropSignatures(Path jars, Path to) throws IOException {
        Files.createDirectories(to);
        for (Path path : Files.newDirectoryStream(jars, "*.jar")) {
            try (JarFile jar = new JarFile(path.toFile(), false)) {
                List<JarEntry> entries = Collections.list(jar.entries());
                if (entries.stream().anyMatch(entry -> isSignature(entry.getName()))) {
                    copyUnsigned(jar, entries, to.resolve(path.getFileName()));
                }
            }
        }
    }

    private static void copyUnsigned(JarFile jar, List<JarEntry> entries, Path to) throws IOException {
        Manifest manifest = new Manifest();
        // What is said of the whole, such as that there are classes for later versions of Java; the rest are sums of the entries.
        manifest.getMainAttributes().putAll(jar.getManifest().getMainAttributes());
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        manifest.write(text);
        try (JarOutputStream out = uncompressed(to)) {
            put(JarFile.MANIFEST_NAME, text.toByteArray(), out);
            for (JarEntry entry : entries) {
                if (!entry.getName().equals(JarFile.MANIFEST_NAME) && !isSignature(entry.getName())) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        put(entry.getName(), in.readAllBytes(), out);
                    }
                }
            }
        }
    }

    private static boolean isSignature(String name) {
        return name.matches("META-INF/[^/]+\\.(SF|RSA|DSA|EC)");
    }

    private static byte[] bytes(Path path, String name) throws IOException {
        try (JarFile jar = new JarFile(path.toFile()); InputStream in = jar.getInputStream(jar.getJarEntry(name + ".class"))) {
            return in.readAllBytes();
        }
    }

    private static void write(Path to, String name, byte[] bytes) throws IOException {
        Path file = to.resolve(name + ".class");
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
    }

    /** The shadows of Robolectric and the host's own. */
    private static List<byte[]> shadows(Path jars) throws IOException {
        List<byte[]> classes = new ArrayList<>();
        for (Path path : Files.newDirectoryStream(jars, "shadows-framework-*.jar")) {
            try (JarFile jar = new JarFile(path.toFile())) {
                classes.addAll(DirectCalls.classesOf(jar));
            }
        }
        try (InputStream own = SetUp.class.getResourceAsStream("robo/inside/ShadowContext.class")) {
            classes.add(own.readAllBytes());
        }
        return classes;
    }

    private static void unpackNatives(Path jar, Path to) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (JarEntry entry : Collections.list(file.entries())) {
                String name = entry.getName();
                boolean wanted = name.startsWith("fonts/") || name.startsWith("hyphen-data/") || name.startsWith("icu/")
                        || name.startsWith("native/linux/x86_64/librobolectric-nativeruntime");
                if (wanted && !entry.isDirectory()) {
                    Path target = to.resolve(name).normalize();
                    if (!target.startsWith(to)) {
                        throw new IOException(name + " leads out of its folder");
                    }
                    Files.createDirectories(target.getParent());
                    try (InputStream in = file.getInputStream(entry)) {
                        Files.copy(in, target);
                    }
                }
            }
        }
    }

    /**
     * Uncompressed, as twelve thousand classes are read from it at each start. What is no class comes apart, too: whoever opens
     * a file of resources looks at each of its entries.
     */
    private static void store(Path from, Path to, Path resources, DirectCalls calls) throws IOException {
        try (JarFile jar = new JarFile(from.toFile()); JarOutputStream out = uncompressed(to); JarOutputStream rest = uncompressed(resources)) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                byte[] bytes;
                try (InputStream in = jar.getInputStream(entry)) {
                    bytes = in.readAllBytes();
                }
                if (entry.getName().endsWith(".class")) {
                    put(entry.getName(), calls.applied(bytes), out);
                } else {
                    put(entry.getName(), bytes, out);
                    put(entry.getName(), bytes, rest);
                }
            }
        }
    }

    private static JarOutputStream uncompressed(Path to) throws IOException {
        JarOutputStream out = new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(to), 1 << 20));
        out.setMethod(ZipEntry.STORED);
        return out;
    }

    private static void put(String name, byte[] bytes, JarOutputStream out) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(bytes);
        ZipEntry next = new ZipEntry(name);
        next.setSize(bytes.length);
        next.setCrc(sum.getValue());
        out.putNextEntry(next);
        out.write(bytes);
        out.closeEntry();
    }

    /** Robolectric's Config names android.app.Application even outside the sandbox; an empty class is all it needs. */
    private static void writeStub(Path to) throws IOException {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, "android/app/Application", null, "java/lang/Object", null);
        MethodVisitor init = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        init.visitVarInsn(Opcodes.ALOAD, 0);
        init.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        init.visitInsn(Opcodes.RETURN);
        init.visitMaxs(1, 1);
        write(to, "android/app/Application", writer.toByteArray());
    }
}
