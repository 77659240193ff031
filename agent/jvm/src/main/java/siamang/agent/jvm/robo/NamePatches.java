package siamang.agent.jvm.robo;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * An edit of how Robolectric decides whose a class is, made once and put in front of it. It asks with an expression that is
 * compiled anew for each of ten thousand names. Every name is of 4.16.1; one that is missing stops the set-up.
 */
public final class NamePatches {
    /** The class that is edited. */
    public static final String CONFIGURATION = "org/robolectric/internal/bytecode/InstrumentationConfiguration";

    private static final String STRING = "java/lang/String";
    private static final String EXPRESSION = "siamang/agent/jvm/robo/Expression";

    private NamePatches() {
    }

    /** The edited class. */
    public static byte[] apply(byte[] bytes) {
        ClassWriter writer = new ClassWriter(0);
        int[] done = new int[1];
        new ClassReader(bytes).accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                return !name.equals("shouldAcquire") ? next : new MethodVisitor(Opcodes.ASM9, next) {
                    @Override
                    public void visitMethodInsn(int opcode, String owner, String method, String type, boolean ofInterface) {
                        if (owner.equals(STRING) && method.equals("matches")) {
                            super.visitMethodInsn(Opcodes.INVOKESTATIC, EXPRESSION, method, "(L" + STRING + ";L" + STRING + ";)Z", false);
                            done[0]++;
                        } else {
                            super.visitMethodInsn(opcode, owner, method, type, ofInterface);
                        }
                    }
                };
            }
        }, 0);
        if (done[0] != 1) {
            throw new IllegalStateException(CONFIGURATION + " is not as expected: this is not the Robolectric that the patches were made for");
        }
        return writer.toByteArray();
    }
}
