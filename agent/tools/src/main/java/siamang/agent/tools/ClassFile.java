package siamang.agent.tools;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** As much of a class file as linking looks at: who it is, what it has, and what it refers to. */
final class ClassFile {
    static final int PUBLIC = 0x0001;
    static final int PROTECTED = 0x0004;
    static final int STATIC = 0x0008;
    static final int INTERFACE = 0x0200;
    static final int ABSTRACT = 0x0400;

    private static final int MAGIC = 0xCAFEBABE;

    final String name;
    final String superName;
    final int access;
    final List<String> interfaces = new ArrayList<String>();
    final List<Member> members = new ArrayList<Member>();
    /** Members of other classes, as the constant pool names them. */
    final List<Reference> references = new ArrayList<Reference>();
    /** Classes it names in any way but a member's descriptor. */
    final List<String> classes = new ArrayList<String>();

    private final Object[] pool;
    private final int[] tags;

    /** A field or method that a class declares. */
    static final class Member {
        final String name;
        final String descriptor;
        final int access;
        /** The value of a constant, or null. javac copies it, so it is never linked. */
        final Object constant;

        Member(String name, String descriptor, int access, Object constant) {
            this.name = name;
            this.descriptor = descriptor;
            this.access = access;
            this.constant = constant;
        }

        boolean isMethod() {
            return descriptor.startsWith("(");
        }
    }

    /** A member of another class that this one uses. */
    static final class Reference {
        final String owner;
        final String name;
        final String descriptor;
        /** Called through the interface instruction. */
        final boolean ofInterface;

        Reference(String owner, String name, String descriptor, boolean ofInterface) {
            this.owner = owner;
            this.name = name;
            this.descriptor = descriptor;
            this.ofInterface = ofInterface;
        }
    }

    ClassFile(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        if (in.readInt() != MAGIC) {
            throw new IOException("not a class file");
        }
        in.readInt();
        int count = in.readUnsignedShort();
        pool = new Object[count];
        tags = new int[count];
        readPool(in, count);
        access = in.readUnsignedShort();
        name = className(in.readUnsignedShort());
        int parent = in.readUnsignedShort();
        superName = parent == 0 ? null : className(parent);
        for (int i = in.readUnsignedShort(); i > 0; i--) {
            interfaces.add(className(in.readUnsignedShort()));
        }
        readMembers(in);
        readMembers(in);
        collectReferences();
    }

    private void readPool(DataInputStream in, int count) throws IOException {
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            tags[i] = tag;
            switch (tag) {
                case 1:
                    pool[i] = in.readUTF();
                    break;
                case 3:
                    pool[i] = in.readInt();
                    break;
                case 4:
                    pool[i] = in.readFloat();
                    break;
                case 5:
                    pool[i++] = in.readLong();
                    break;
                case 6:
                    pool[i++] = in.readDouble();
                    break;
                case 7:
                case 8:
                case 16:
                case 19:
                case 20:
                    pool[i] = new int[] {in.readUnsignedShort()};
                    break;
                case 9:
                case 10:
                case 11:
                case 12:
                case 17:
                case 18:
                    pool[i] = new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
                    break;
                case 15:
                    pool[i] = new int[] {in.readUnsignedByte(), in.readUnsignedShort()};
                    break;
                default:
                    throw new IOException("unknown constant " + tag);
            }
        }
    }

    private void readMembers(DataInputStream in) throws IOException {
        for (int i = in.readUnsignedShort(); i > 0; i--) {
            int flags = in.readUnsignedShort();
            String memberName = (String) pool[in.readUnsignedShort()];
            String descriptor = (String) pool[in.readUnsignedShort()];
            Object constant = null;
            for (int a = in.readUnsignedShort(); a > 0; a--) {
                String attribute = (String) pool[in.readUnsignedShort()];
                byte[] value = new byte[in.readInt()];
                in.readFully(value);
                if (attribute.equals("ConstantValue")) {
                    constant = pool[(value[0] & 0xFF) << 8 | value[1] & 0xFF];
                }
            }
            members.add(new Member(memberName, descriptor, flags, constant));
        }
    }

    private void collectReferences() {
        for (int i = 1; i < pool.length; i++) {
            if (tags[i] == 7) {
                String named = element((String) pool[((int[]) pool[i])[0]]);
                if (named != null && !named.equals(name)) {
                    classes.add(named);
                }
            } else if (tags[i] >= 9 && tags[i] <= 11) {
                int[] both = (int[]) pool[i];
                int[] nameAndType = (int[]) pool[both[1]];
                String owner = className(both[0]);
                // A method of an array is one of Object's.
                if (!owner.startsWith("[") && !owner.equals(name)) {
                    references.add(new Reference(owner, (String) pool[nameAndType[0]], (String) pool[nameAndType[1]], tags[i] == 11));
                }
            }
        }
    }

    private String className(int index) {
        return (String) pool[((int[]) pool[index])[0]];
    }

    /** The class of an array's elements, null if they are primitive. */
    private static String element(String named) {
        if (!named.startsWith("[")) {
            return named;
        }
        String rest = named.replaceFirst("^\\[+", "");
        return rest.startsWith("L") ? rest.substring(1, rest.length() - 1) : null;
    }
}
