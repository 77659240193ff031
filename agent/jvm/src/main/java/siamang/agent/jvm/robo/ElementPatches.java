package siamang.agent.jvm.robo;

import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Edits that have Robolectric's parser of layouts ask {@link KnownElements} for the element that it is at, made once and put
 * in front of it. Every name is of 4.16.1; one that is missing stops the set-up.
 */
public final class ElementPatches {
    /** The classes that are edited. */
    public static final String PARSER = "org/robolectric/res/android/ResXMLParser";
    public static final String HEAD = "org/robolectric/res/android/ResourceTypes$ResXMLTree_attrExt";
    public static final List<String> EDITED = List.of(PARSER, HEAD);

    private static final String ATTRIBUTE = "org/robolectric/res/android/ResourceTypes$ResXMLTree_attribute";
    private static final String KNOWN = "siamang/agent/jvm/robo/KnownElements";
    private static final String ANY = "Ljava/lang/Object;";
    private static final String NEW_HEAD = "(Ljava/nio/ByteBuffer;I)V";
    private static final String READ_ONE = "siamangAttributeAt";

    private ElementPatches() {
    }

    /** The edited class. */
    public static byte[] apply(String name, byte[] bytes) {
        Edit edit = new Edit(name);
        new ClassReader(bytes).accept(edit, 0);
        // The parser reads an element in twelve places.
        if (edit.done != (name.equals(PARSER) ? 12 : 1)) {
            throw new IllegalStateException(name + " is not as expected: this is not the Robolectric that the patches were made for");
        }
        return edit.writer.toByteArray();
    }

    private static final class Edit extends ClassVisitor {
        private final ClassWriter writer;
        private final String edited;
        private int done;

        Edit(String edited) {
            super(Opcodes.ASM9, new ClassWriter(ClassWriter.COMPUTE_MAXS));
            this.writer = (ClassWriter) cv;
            this.edited = edited;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            String[] all = java.util.Arrays.copyOf(interfaces, interfaces.length + 1);
            all[interfaces.length] = KNOWN + (edited.equals(PARSER) ? "$Reading" : "$Head");
            super.visit(version, access, name, signature, parent, all);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            if (edited.equals(PARSER)) {
                return asking(super.visitMethod(access, name, descriptor, signature, exceptions));
            }
            if (name.equals("attributeAt") && descriptor.equals("(I)L" + ATTRIBUTE + ";")) {
                done++;
                MethodVisitor body = super.visitMethod(access, name, descriptor, signature, exceptions);
                body.visitCode();
                body.visitVarInsn(Opcodes.ALOAD, 0);
                body.visitVarInsn(Opcodes.ILOAD, 1);
                body.visitMethodInsn(Opcodes.INVOKESTATIC, KNOWN, "attribute", "(L" + HEAD + ";I)" + ANY, false);
                body.visitTypeInsn(Opcodes.CHECKCAST, ATTRIBUTE);
                end(body, Opcodes.ARETURN);
                return super.visitMethod(access, READ_ONE, descriptor, signature, exceptions);
            }
            return super.visitMethod(access, name, descriptor, signature, exceptions);
        }

        @Override
        public void visitEnd() {
            if (edited.equals(PARSER)) {
                property("siamangElement", ANY);
            } else {
                property("siamangAttributes", "[" + ANY);
                MethodVisitor body = writer.visitMethod(Opcodes.ACC_PUBLIC, "siamangRead", "(I)" + ANY, null, null);
                body.visitCode();
                body.visitVarInsn(Opcodes.ALOAD, 0);
                body.visitVarInsn(Opcodes.ILOAD, 1);
                body.visitMethodInsn(Opcodes.INVOKEVIRTUAL, HEAD, READ_ONE, "(I)L" + ATTRIBUTE + ";", false);
                end(body, Opcodes.ARETURN);
            }
            super.visitEnd();
        }

        /** Of "new, dup, document, offset, constructor" the arguments are left, for somebody who may have it already. */
        private MethodVisitor asking(MethodVisitor next) {
            return new MethodVisitor(Opcodes.ASM9, next) {
                private boolean dropping;

                @Override
                public void visitTypeInsn(int opcode, String type) {
                    if (opcode == Opcodes.NEW && type.equals(HEAD)) {
                        dropping = true;
                        return;
                    }
                    super.visitTypeInsn(opcode, type);
                }

                @Override
                public void visitInsn(int opcode) {
                    if (dropping && opcode == Opcodes.DUP) {
                        dropping = false;
                        return;
                    }
                    super.visitInsn(opcode);
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String method, String type, boolean ofInterface) {
                    if (opcode == Opcodes.INVOKESPECIAL && owner.equals(HEAD) && type.equals(NEW_HEAD)) {
                        super.visitVarInsn(Opcodes.ALOAD, 0);
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, KNOWN, "head", "(Ljava/nio/ByteBuffer;IL" + PARSER + ";)L" + HEAD + ";", false);
                        done++;
                        return;
                    }
                    super.visitMethodInsn(opcode, owner, method, type, ofInterface);
                }
            };
        }

        private void property(String name, String type) {
            writer.visitField(Opcodes.ACC_PRIVATE, name, type, null, null);
            MethodVisitor getter = writer.visitMethod(Opcodes.ACC_PUBLIC, name, "()" + type, null, null);
            getter.visitCode();
            getter.visitVarInsn(Opcodes.ALOAD, 0);
            getter.visitFieldInsn(Opcodes.GETFIELD, edited, name, type);
            end(getter, Opcodes.ARETURN);
            MethodVisitor setter = writer.visitMethod(Opcodes.ACC_PUBLIC, name, "(" + type + ")V", null, null);
            setter.visitCode();
            setter.visitVarInsn(Opcodes.ALOAD, 0);
            setter.visitVarInsn(Opcodes.ALOAD, 1);
            setter.visitFieldInsn(Opcodes.PUTFIELD, edited, name, type);
            end(setter, Opcodes.RETURN);
        }

        private static void end(MethodVisitor body, int opcode) {
            body.visitInsn(opcode);
            body.visitMaxs(0, 0);
            body.visitEnd();
        }
    }
}
