package siamang.agent.jvm.robo;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * In the instrumented framework every method is a dynamic call that asks Robolectric for a shadow when it is first made. Nine in
 * ten have none and never will: they become plain calls of the code beneath, which costs nothing to link and can be
 * inlined. So does the code that sets a class up, which is otherwise found by reflection. What is said here of shadows is what ShadowWrangler of 4.16.1 does, on the safe side: a name that any shadow of
 * the class has, for whatever level of Android, stays dynamic.
 */
public final class DirectCalls {
    private static final String SUPPORT = "org/robolectric/internal/bytecode/InvokeDynamicSupport";
    private static final Set<String> BOOTSTRAPS = Set.of("bootstrap", "bootstrapStatic");
    private static final String INTERNALS = "org/robolectric/internal/bytecode/RobolectricInternals";
    /** What a class's own initialiser became. */
    private static final String INITIALISER = "__staticInitializer__";
    private static final String IMPLEMENTS = "Lorg/robolectric/annotation/Implements;";

    /** Of each shadowed class: the names of methods that shadows have; {@link #ALL} where even the others are not called through. */
    private final Map<String, Set<String>> shadowed = new HashMap<>();
    private static final String ALL = "*";

    private DirectCalls() {
    }

    /** Knows the shadows in these class files. */
    public static DirectCalls of(Collection<byte[]> classes) {
        Map<String, Shadow> shadows = new HashMap<>();
        for (byte[] bytes : classes) {
            Shadow shadow = new Shadow();
            new ClassReader(bytes).accept(shadow, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            shadows.put(shadow.name, shadow);
        }
        DirectCalls calls = new DirectCalls();
        for (Shadow shadow : shadows.values()) {
            if (shadow.of == null) {
                continue;
            }
            Set<String> names = calls.shadowed.computeIfAbsent(shadow.of, key -> new HashSet<>());
            if (!shadow.callsThrough) {
                names.add(ALL);
            }
            for (Shadow at = shadow; at != null; at = shadows.get(at.parent)) {
                names.addAll(at.methods);
            }
        }
        return calls;
    }

    /** The class files of a jar, and of no other kind. */
    public static List<byte[]> classesOf(JarFile jar) throws IOException {
        List<byte[]> classes = new ArrayList<>();
        for (JarEntry entry : Collections.list(jar.entries())) {
            if (entry.getName().endsWith(".class") && !entry.getName().endsWith("-info.class")) {
                try (InputStream in = jar.getInputStream(entry)) {
                    classes.add(in.readAllBytes());
                }
            }
        }
        return classes;
    }

    /** A class of the framework, with plain calls where no shadow can be. */
    public byte[] applied(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        Set<String> names = shadowed.get(reader.getClassName().replace('/', '.').replace('$', '.'));
        if (names != null && names.contains(ALL)) {
            return bytes;
        }
        // A pool of its own: what the dynamic calls needed is left behind.
        ClassWriter writer = new ClassWriter(0);
        reader.accept(new Rewriter(writer, names), 0);
        return writer.toByteArray();
    }

    private static final class Rewriter extends ClassVisitor {
        private final Set<String> names;
        private String owner;
        private boolean isInterface;

        Rewriter(ClassVisitor next, Set<String> names) {
            super(Opcodes.ASM9, next);
            this.names = names;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            owner = name;
            isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
            super.visit(version, access, name, signature, parent, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, descriptor, signature, exceptions)) {
                @Override
                public void visitInvokeDynamicInsn(String called, String type, Handle bootstrap, Object... arguments) {
                    if (isRobolectrics(bootstrap) && isDirect(called, arguments)) {
                        Handle real = (Handle) arguments[0];
                        int opcode = real.getTag() == Opcodes.H_INVOKESTATIC ? Opcodes.INVOKESTATIC : Opcodes.INVOKESPECIAL;
                        super.visitMethodInsn(opcode, real.getOwner(), real.getName(), real.getDesc(), real.isInterface());
                    } else {
                        super.visitInvokeDynamicInsn(called, type, bootstrap, arguments);
                    }
                }

                @Override
                public void visitMethodInsn(int opcode, String called, String method, String type, boolean ofInterface) {
                    boolean isSetUp = name.equals("<clinit>") && called.equals(INTERNALS) && method.equals("classInitializing");
                    if (isSetUp && (names == null || !names.contains(INITIALISER))) {
                        // The class itself, for which a shadow would have been looked up.
                        super.visitInsn(Opcodes.POP);
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, owner, INITIALISER, "()V", isInterface);
                    } else {
                        super.visitMethodInsn(opcode, called, method, type, ofInterface);
                    }
                }

                @Override
                public void visitLocalVariable(String local, String type, String generic, Label start, Label end, int index) {
                    // Nobody looks at them, and they would be parsed at each start.
                }
            };
        }

        private static boolean isRobolectrics(Handle bootstrap) {
            return bootstrap.getOwner().equals(SUPPORT) && BOOTSTRAPS.contains(bootstrap.getName());
        }

        /** Native code of a shadowed class may be bound to Robolectric's own library. */
        private boolean isDirect(String called, Object[] arguments) {
            boolean isNative = !Integer.valueOf(0).equals(arguments[1]);
            return names == null || !isNative && !names.contains(called);
        }
    }

    /** What a class file says of itself as a shadow. */
    private static final class Shadow extends ClassVisitor {
        private String name;
        private String parent;
        /** The shadowed class with dots only, as annotations name it; null if it is no shadow. */
        private String of;
        private boolean callsThrough = true;
        private final Set<String> methods = new HashSet<>();

        Shadow() {
            super(Opcodes.ASM9);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            this.name = name;
            this.parent = parent;
        }

        @Override
        public AnnotationVisitor visitAnnotation(String type, boolean visible) {
            return !type.equals(IMPLEMENTS) ? null : new AnnotationVisitor(Opcodes.ASM9) {
                @Override
                public void visit(String key, Object value) {
                    if (key.equals("value") && value instanceof Type shadowedType && !shadowedType.getClassName().equals("void")) {
                        of = shadowedType.getClassName().replace('$', '.');
                    } else if (key.equals("className") && !value.equals("")) {
                        of = ((String) value).replace('$', '.');
                    } else if (key.equals("callThroughByDefault")) {
                        callsThrough = (Boolean) value;
                    }
                }
            };
        }

        @Override
        public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] exceptions) {
            methods.add(method);
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public AnnotationVisitor visitAnnotation(String type, boolean visible) {
                    return new AnnotationVisitor(Opcodes.ASM9) {
                        @Override
                        public void visit(String key, Object value) {
                            // Such as the name of the method that it stands for.
                            if (value instanceof String text) {
                                methods.add(text);
                            }
                        }
                    };
                }
            };
        }
    }
}
