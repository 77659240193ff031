package siamang.agent.jvm.robo;

import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Edits of Robolectric's reader of resource tables, made once and put in front of it: it copies a whole table, or looks
 * through one from its start, for every attribute of every widget, and reads all attributes of an element for each of the
 * hundred that a widget asks for; a copied theme has a quarter of a megabyte for packages that nobody has. Every name is of
 * 4.16.1; one that is missing stops the set-up.
 */
public final class TablePatches {
    /** The classes that are edited. */
    public static final String SPEC = "org/robolectric/res/android/ResourceTypes$ResTable_typeSpec";
    public static final String PACKAGE = "org/robolectric/res/android/LoadedArsc$LoadedPackage";

    public static final String FINDER = "org/robolectric/res/android/AttributeResolution10$XmlAttributeFinder";
    public static final String THEME = "org/robolectric/res/android/CppAssetManager2$Theme";
    public static final List<String> EDITED = List.of(SPEC, PACKAGE, FINDER, THEME);

    private static final String THEMED = THEME + "$ThemePackage";

    private static final String PARSER = "org/robolectric/res/android/ResXMLParser";
    private static final String NAMES = "siamang/agent/jvm/robo/AttributeNames";
    private static final String READ = "siamangNames";
    private static final String TYPE = "org/robolectric/res/android/ResourceTypes$ResTable_type";
    private static final String HEADER = "org/robolectric/res/android/ResourceTypes$ResChunk_header";
    private static final String SPARSE = "siamang/agent/jvm/robo/SparseTable";
    private static final String KEPT = "siamangFlags";

    private TablePatches() {
    }

    /** The edited class. */
    public static byte[] apply(String name, byte[] bytes) {
        Edit edit = new Edit(name);
        new ClassReader(bytes).accept(edit, 0);
        if (!edit.done) {
            throw new IllegalStateException(name + " is not as expected: this is not the Robolectric that the patches were made for");
        }
        return edit.writer.toByteArray();
    }

    private static final class Edit extends ClassVisitor {
        private final ClassWriter writer;
        private final String edited;
        private boolean done;

        Edit(String edited) {
            super(Opcodes.ASM9, new ClassWriter(ClassWriter.COMPUTE_MAXS));
            this.writer = (ClassWriter) cv;
            this.edited = edited;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            if (edited.equals(SPEC) && name.equals("getSpecFlags") && descriptor.equals("()[I")) {
                done = true;
                writer.visitField(Opcodes.ACC_PRIVATE, KEPT, "[I", null, null);
                return keeping(next);
            }
            if (edited.equals(FINDER) && name.equals("Find") && descriptor.equals("(I)I")) {
                done = true;
                writer.visitField(Opcodes.ACC_PRIVATE, READ, "[I", null, null);
                readOnce(next);
                return null;
            }
            if (edited.equals(PACKAGE) && name.equals("GetEntryOffset") && descriptor.equals("(L" + TYPE + ";I)I")) {
                done = true;
                return searching(next);
            }
            if (edited.equals(THEME) && name.equals("SetTo")) {
                return forgetting(next);
            }
            return next;
        }

        /** The first package that it makes stands for one that the other theme does not have: none does as well. */
        private MethodVisitor forgetting(MethodVisitor next) {
            return new MethodVisitor(Opcodes.ASM9, next) {
                private boolean dropping;

                @Override
                public void visitTypeInsn(int opcode, String type) {
                    if (!done && opcode == Opcodes.NEW && type.equals(THEMED)) {
                        dropping = true;
                        done = true;
                        return;
                    }
                    super.visitTypeInsn(opcode, type);
                }

                @Override
                public void visitInsn(int opcode) {
                    // Of "new, dup, null, constructor" the null is left.
                    if (!dropping || opcode != Opcodes.DUP) {
                        super.visitInsn(opcode);
                    }
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String method, String type, boolean ofInterface) {
                    if (dropping && owner.equals(THEMED)) {
                        dropping = false;
                        return;
                    }
                    super.visitMethodInsn(opcode, owner, method, type, ofInterface);
                }
            };
        }
    }

    /** Reads the flags once and keeps them; nobody changes them. */
    private static MethodVisitor keeping(MethodVisitor next) {
        return new MethodVisitor(Opcodes.ASM9, next) {
            @Override
            public void visitCode() {
                super.visitCode();
                Label unknown = new Label();
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitFieldInsn(Opcodes.GETFIELD, SPEC, KEPT, "[I");
                super.visitJumpInsn(Opcodes.IFNULL, unknown);
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitFieldInsn(Opcodes.GETFIELD, SPEC, KEPT, "[I");
                super.visitInsn(Opcodes.ARETURN);
                super.visitLabel(unknown);
                super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
            }

            @Override
            public void visitInsn(int opcode) {
                if (opcode == Opcodes.ARETURN) {
                    super.visitInsn(Opcodes.DUP);
                    super.visitVarInsn(Opcodes.ALOAD, 0);
                    super.visitInsn(Opcodes.SWAP);
                    super.visitFieldInsn(Opcodes.PUTFIELD, SPEC, KEPT, "[I");
                }
                super.visitInsn(opcode);
            }
        };
    }

    /** Reads the names of the element's attributes for the first of the questions; a finder is made for each element. */
    private static void readOnce(MethodVisitor body) {
        Label known = new Label();
        body.visitCode();
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitFieldInsn(Opcodes.GETFIELD, FINDER, READ, "[I");
        body.visitJumpInsn(Opcodes.IFNONNULL, known);
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitFieldInsn(Opcodes.GETFIELD, FINDER, "xmlParser", "L" + PARSER + ";");
        body.visitMethodInsn(Opcodes.INVOKESTATIC, NAMES, "of", "(L" + PARSER + ";)[I", false);
        body.visitFieldInsn(Opcodes.PUTFIELD, FINDER, READ, "[I");
        body.visitLabel(known);
        body.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        body.visitVarInsn(Opcodes.ALOAD, 0);
        body.visitFieldInsn(Opcodes.GETFIELD, FINDER, READ, "[I");
        body.visitVarInsn(Opcodes.ILOAD, 1);
        body.visitMethodInsn(Opcodes.INVOKESTATIC, NAMES, "indexOf", "([II)I", false);
        body.visitInsn(Opcodes.IRETURN);
        body.visitMaxs(0, 0);
        body.visitEnd();
    }

    /** Looks up a sparse table by halves; the rest of the method is for the others. */
    private static MethodVisitor searching(MethodVisitor next) {
        return new MethodVisitor(Opcodes.ASM9, next) {
            @Override
            public void visitCode() {
                super.visitCode();
                Label dense = new Label();
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitFieldInsn(Opcodes.GETFIELD, TYPE, "flags", "B");
                super.visitInsn(Opcodes.ICONST_1);
                super.visitInsn(Opcodes.IAND);
                super.visitJumpInsn(Opcodes.IFEQ, dense);
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitMethodInsn(Opcodes.INVOKEVIRTUAL, TYPE, "myBuf", "()Ljava/nio/ByteBuffer;", false);
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitMethodInsn(Opcodes.INVOKEVIRTUAL, TYPE, "myOffset", "()I", false);
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitFieldInsn(Opcodes.GETFIELD, TYPE, "header", "L" + HEADER + ";");
                super.visitFieldInsn(Opcodes.GETFIELD, HEADER, "headerSize", "S");
                super.visitInsn(Opcodes.IADD);
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitFieldInsn(Opcodes.GETFIELD, TYPE, "entryCount", "I");
                super.visitVarInsn(Opcodes.ILOAD, 1);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, SPARSE, "offset", "(Ljava/nio/ByteBuffer;III)I", false);
                super.visitInsn(Opcodes.IRETURN);
                super.visitLabel(dense);
                super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
            }
        };
    }
}
