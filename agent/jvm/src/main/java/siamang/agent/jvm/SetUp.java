package siamang.agent.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Done once after the downloads, so that every start is quick: {@code SetUp JARS SDK_JAR OUT}. */
public final class SetUp {
    private SetUp() {
    }

    public static void main(String[] args) throws IOException {
        Path out = Path.of(args[2]);
        for (Path jar : Files.newDirectoryStream(Path.of(args[0]), "nativeruntime-dist-compat-*.jar")) {
            unpackNatives(jar, out.resolve("natives"));
        }
        Path sdk = Path.of(args[1]);
        Files.createDirectories(out.resolve("stored"));
        store(sdk, out.resolve("stored").resolve(sdk.getFileName()));
        writeStub(out.resolve("stub"));
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

    /** Uncompressed: twelve thousand classes are read from it at each start. */
    private static void store(Path from, Path to) throws IOException {
        try (JarFile jar = new JarFile(from.toFile()); JarOutputStream out = new JarOutputStream(Files.newOutputStream(to))) {
            out.setMethod(ZipEntry.STORED);
            for (JarEntry entry : Collections.list(jar.entries())) {
                ZipEntry next = new ZipEntry(entry.getName());
                next.setSize(entry.getSize());
                next.setCrc(entry.getCrc());
                out.putNextEntry(next);
                try (InputStream in = jar.getInputStream(entry)) {
                    in.transferTo(out);
                }
                out.closeEntry();
            }
        }
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
        Path file = to.resolve("android/app/Application.class");
        Files.createDirectories(file.getParent());
        Files.write(file, writer.toByteArray());
    }
}
