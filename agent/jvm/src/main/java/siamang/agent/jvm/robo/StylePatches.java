package siamang.agent.jvm.robo;

import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Edits that have Robolectric's themes, resources and reader of attributes ask {@link KnownStyles} first, made once and put in
 * front of it. What it did itself keeps its code under another name. Every name is of 4.16.1; one that is missing stops the
 * set-up.
 */
public final class StylePatches {
    /** The classes that are edited. */
    public static final String THEME = TablePatches.THEME;
    public static final String RESOURCES = "org/robolectric/res/android/CppAssetManager2";
    public static final String READER = "org/robolectric/res/android/AttributeResolution10";
    /** What fits a configuration, by type: a class in a method of the resources, which it does not need. */
    public static final String FITTING = RESOURCES + "$1";
    public static final List<String> EDITED = List.of(THEME, RESOURCES, READER, FITTING);

    /** How Robolectric's own reader is called then. */
    static final String LOOK_UP = "siamangLookUp";

    private static final String KNOWN = "siamang/agent/jvm/robo/KnownStyles";
    private static final String OBJECT = "java/lang/Object";
    private static final String ANY = "L" + OBJECT + ";";
    private static final String PARTS = "packages_";
    private static final String FLAGS = "type_spec_flags_";
    private static final String CONTENT = "siamangContent";
    private static final String CONFIGURATION = "Lorg/robolectric/res/android/ResTable_config;";
    private static final String LIST = "Ljava/util/List;";

    private StylePatches() {
    }

    /** The edited class. */
    public static byte[] apply(String name, byte[] bytes) {
        Edit edit = new Edit(name);
        new ClassReader(bytes).accept(edit, 0);
        if (edit.done != edit.wanted()) {
            throw new IllegalStateException(name + " is not as expected: this is not the Robolectric that the patches were made for");
        }
        return edit.writer.toByteArray();
    }

    private static final class Edit extends ClassVisitor {
        private final ClassWriter writer;
        private final String edited;
        private String parts;
        private int done;

        Edit(String edited) {
            super(Opcodes.ASM9, new ClassWriter(ClassWriter.COMPUTE_MAXS));
            this.writer = (ClassWriter) cv;
            this.edited = edited;
        }

        /** How many methods and fields are edited or read: three and two of a theme, two and two of resources, one of the reader, one of what fits. */
        int wanted() {
            return edited.equals(THEME) ? 5 : edited.equals(RESOURCES) ? 4 : 1;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            String added = edited.equals(THEME) ? KNOWN + "$Themed" : edited.equals(RESOURCES) ? KNOWN + "$Styled" : null;
            String[] all = interfaces;
            if (added != null) {
                all = java.util.Arrays.copyOf(interfaces, interfaces.length + 1);
                all[interfaces.length] = added;
            }
            super.visit(version, access, name, signature, parent, all);
        }

        @Override
        public org.objectweb.asm.FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
            boolean kept = edited.equals(THEME) ? name.equals(PARTS) || name.equals(FLAGS) && descriptor.equals("I")
                    : edited.equals(RESOURCES) && (name.equals("configuration_") && descriptor.equals(CONFIGURATION) || name.equals("package_groups_") && descriptor.equals(LIST));
            if (kept) {
                done++;
                parts = name.equals(PARTS) ? descriptor : parts;
            }
            return super.visitField(access, name, descriptor, signature, value);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            String type = "L" + THEME + ";";
            if (edited.equals(THEME) && (name.equals("SetTo") && descriptor.equals("(" + type + ")Z") || name.equals("ApplyStyle") && descriptor.equals("(IZ)Z"))) {
                done++;
                ask(access, name, descriptor, Character.toLowerCase(name.charAt(0)) + name.substring(1));
                return super.visitMethod(access, "siamang" + name, descriptor, signature, exceptions);
            }
            if (edited.equals(THEME) && name.equals("Clear")) {
                done++;
                return forgetting(super.visitMethod(access, name, descriptor, signature, exceptions));
            }
            if (edited.equals(RESOURCES) && name.equals("RebuildFilterList") && descriptor.equals("()V")) {
                done++;
                ask(access, name, descriptor, "rebuild");
                return super.visitMethod(Opcodes.ACC_PUBLIC, "siamangRebuild", descriptor, signature, exceptions);
            }
            if (edited.equals(RESOURCES) && name.equals("FindEntry")) {
                return copying(super.visitMethod(access, name, descriptor, signature, exceptions));
            }
            if (edited.equals(FITTING) && name.equals("<init>")) {
                return releasing(super.visitMethod(access, name, descriptor, signature, exceptions));
            }
            if (edited.equals(READER) && name.equals("ApplyStyle")) {
                done++;
                ask(access, name, descriptor, "attributes");
                return super.visitMethod(access, LOOK_UP, descriptor, signature, exceptions);
            }
            return super.visitMethod(access, name, descriptor, signature, exceptions);
        }

        @Override
        public void visitEnd() {
            if (edited.equals(THEME) && parts != null) {
                property(CONTENT, ANY, CONTENT);
                property("siamangFlags", "I", FLAGS);
                getter("siamangParts", "[" + ANY, PARTS, parts);
            } else if (edited.equals(RESOURCES)) {
                property("siamangStyles", ANY, "siamangStyles");
                getter("siamangConfiguration", CONFIGURATION, "configuration_", CONFIGURATION);
                getter("siamangGroups", LIST, "package_groups_", LIST);
            }
            super.visitEnd();
        }

        /** The method has another ask for it, with the object in front of the arguments if there is one. */
        private void ask(int access, String name, String descriptor, String asked) {
            MethodVisitor body = super.visitMethod(access, name, descriptor, null, null);
            body.visitCode();
            int local = 0;
            String type = descriptor;
            if ((access & Opcodes.ACC_STATIC) == 0) {
                body.visitVarInsn(Opcodes.ALOAD, local++);
                type = "(L" + edited + ";" + descriptor.substring(1);
            }
            for (Type argument : Type.getArgumentTypes(descriptor)) {
                body.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
                local += argument.getSize();
            }
            body.visitMethodInsn(Opcodes.INVOKESTATIC, KNOWN, asked, type, false);
            body.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
            body.visitMaxs(0, 0);
            body.visitEnd();
        }

        /** Where the density of a configuration is written to, the variable that has the configuration gets a copy with that density. */
        private MethodVisitor copying(MethodVisitor next) {
            return new MethodVisitor(Opcodes.ASM9, next) {
                private int loaded;

                @Override
                public void visitVarInsn(int opcode, int local) {
                    loaded = opcode == Opcodes.ALOAD ? local : loaded;
                    super.visitVarInsn(opcode, local);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String field, String type) {
                    if (opcode == Opcodes.PUTFIELD && field.equals("density") && type.equals("I")) {
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, KNOWN, "withDensity", "(" + CONFIGURATION + "I)" + CONFIGURATION, false);
                        super.visitVarInsn(Opcodes.ASTORE, loaded);
                        done++;
                        return;
                    }
                    super.visitFieldInsn(opcode, owner, field, type);
                }
            };
        }

        /** {@link KnownStyles} keeps what fits longer than the resources, which would be kept by it. */
        private MethodVisitor releasing(MethodVisitor next) {
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitFieldInsn(int opcode, String owner, String field, String type) {
                    if (opcode == Opcodes.PUTFIELD && type.equals("L" + RESOURCES + ";")) {
                        super.visitInsn(Opcodes.POP2);
                        done++;
                        return;
                    }
                    super.visitFieldInsn(opcode, owner, field, type);
                }
            };
        }

        private static MethodVisitor forgetting(MethodVisitor next) {
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    super.visitVarInsn(Opcodes.ALOAD, 0);
                    super.visitInsn(Opcodes.ACONST_NULL);
                    super.visitFieldInsn(Opcodes.PUTFIELD, THEME, CONTENT, ANY);
                }
            };
        }

        private void property(String name, String type, String field) {
            if (type.equals(ANY)) {
                writer.visitField(Opcodes.ACC_PRIVATE, field, type, null, null);
            }
            getter(name, type, field, type);
            MethodVisitor body = writer.visitMethod(Opcodes.ACC_PUBLIC, name, "(" + type + ")V", null, null);
            body.visitCode();
            body.visitVarInsn(Opcodes.ALOAD, 0);
            body.visitVarInsn(Type.getType(type).getOpcode(Opcodes.ILOAD), 1);
            body.visitFieldInsn(Opcodes.PUTFIELD, edited, field, type);
            body.visitInsn(Opcodes.RETURN);
            body.visitMaxs(0, 0);
            body.visitEnd();
        }

        private void getter(String name, String type, String field, String kept) {
            MethodVisitor body = writer.visitMethod(Opcodes.ACC_PUBLIC, name, "()" + type, null, null);
            body.visitCode();
            body.visitVarInsn(Opcodes.ALOAD, 0);
            body.visitFieldInsn(Opcodes.GETFIELD, edited, field, kept);
            body.visitInsn(Type.getType(type).getOpcode(Opcodes.IRETURN));
            body.visitMaxs(0, 0);
            body.visitEnd();
        }
    }
}
