package siamang.agent.jvm.robo;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Edits of how Robolectric binds a call to its shadow, made once and put in front of it. Each call is wrapped in a check that
 * the shadows are still the same ones, and in a handler that tidies the stacks of exceptions: two classes more for every
 * shape of method. Here the shadows never change, and {@code StackText} tidies the one stack that is told. Every name is of
 * 4.16.1; one that is missing stops the set-up.
 */
public final class BindingPatches {
    /** The class that is edited. */
    public static final String SUPPORT = "org/robolectric/internal/bytecode/InvokeDynamicSupport";

    private static final String SITE = "org/robolectric/internal/bytecode/RoboCallSite";
    private static final String HANDLE = "Ljava/lang/invoke/MethodHandle;";
    private static final String BIND = "(L" + SITE + ";" + HANDLE + HANDLE + ")" + HANDLE;
    private static final String WRAP = "(" + HANDLE + ")" + HANDLE;

    private BindingPatches() {
    }

    /** The edited class. */
    public static byte[] apply(byte[] bytes) {
        Edit edit = new Edit();
        new ClassReader(bytes).accept(edit, 0);
        if (edit.done != 2) {
            throw new IllegalStateException(SUPPORT + " is not as expected: this is not the Robolectric that the patches were made for");
        }
        return edit.writer.toByteArray();
    }

    private static final class Edit extends ClassVisitor {
        private final ClassWriter writer;
        private int done;

        Edit() {
            super(Opcodes.ASM9, new ClassWriter(ClassWriter.COMPUTE_MAXS));
            this.writer = (ClassWriter) cv;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            if (name.equals("bindWithFallback") && descriptor.equals(BIND)) {
                bind(next);
            } else if (name.equals("cleanStackTraces") && descriptor.equals(WRAP)) {
                next.visitCode();
                next.visitVarInsn(Opcodes.ALOAD, 0);
                end(next);
            } else {
                return next;
            }
            done++;
            return null;
        }
    }

    /** {@code site.setTarget(handle.asType(site.type()))}, and the answer is that handle. */
    private static void bind(MethodVisitor code) {
        code.visitCode();
        code.visitVarInsn(Opcodes.ALOAD, 1);
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, SITE, "type", "()Ljava/lang/invoke/MethodType;", false);
        code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/lang/invoke/MethodHandle", "asType", "(Ljava/lang/invoke/MethodType;)" + HANDLE, false);
        code.visitVarInsn(Opcodes.ASTORE, 1);
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitVarInsn(Opcodes.ALOAD, 1);
        code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, SITE, "setTarget", "(" + HANDLE + ")V", false);
        code.visitVarInsn(Opcodes.ALOAD, 1);
        end(code);
    }

    private static void end(MethodVisitor code) {
        code.visitInsn(Opcodes.ARETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }
}
