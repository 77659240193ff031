package siamang.agent.jvm.robo;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

public final class TablePatchesTest {
    @Test
    public void aSparseTableIsSearchedByHalves() {
        int[] indices = {0, 3, 4, 90, 40_000};
        ByteBuffer table = ByteBuffer.allocate(8 + indices.length * 4).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < indices.length; i++) {
            table.putShort(8 + i * 4, (short) indices[i]);
            table.putShort(8 + i * 4 + 2, (short) (i * 10_000));
        }
        for (int i = 0; i < indices.length; i++) {
            assertEquals(i * 40_000, SparseTable.offset(table, 8, indices.length, indices[i]));
        }
        for (int missing : new int[] {1, 5, 91, 39_999, 40_001}) {
            assertEquals(-1, SparseTable.offset(table, 8, indices.length, missing));
        }
        assertEquals(-1, SparseTable.offset(table, 8, 0, 0));
    }

    @Test
    public void theFirstOfSeveralAttributesWithOneNameIsFound() {
        int[] names = {0x0101_0001, 0, 0x7f01_0002, 0};
        assertEquals(2, AttributeNames.indexOf(names, 0x7f01_0002));
        assertEquals(1, AttributeNames.indexOf(names, 0));
        assertEquals(-1, AttributeNames.indexOf(names, 0x0101_0002));
        assertEquals(-1, AttributeNames.indexOf(AttributeNames.of(null), 0));
    }

    @Test
    public void everyPatchFindsItsMethodInThePinnedRobolectric() throws IOException {
        for (String name : TablePatches.EDITED) {
            try (InputStream in = TablePatchesTest.class.getResourceAsStream("/" + name + ".class")) {
                assertEquals(name, new ClassReader(TablePatches.apply(name, in.readAllBytes())).getClassName());
            }
        }
    }

    @Test
    public void aThemeThatIsCopiedMakesNoPackageForOneThatTheOtherHasNot() throws IOException {
        assertEquals(2, packagesMade(read(TablePatches.THEME)));
        assertEquals(1, packagesMade(TablePatches.apply(TablePatches.THEME, read(TablePatches.THEME))));
    }

    private static byte[] read(String name) throws IOException {
        try (InputStream in = TablePatchesTest.class.getResourceAsStream("/" + name + ".class")) {
            return in.readAllBytes();
        }
    }

    private static long packagesMade(byte[] theme) {
        ClassNode node = new ClassNode();
        new ClassReader(theme).accept(node, 0);
        MethodNode copy = node.methods.stream().filter(method -> method.name.equals("SetTo")).findFirst().orElseThrow();
        long made = 0;
        for (AbstractInsnNode instruction : copy.instructions) {
            made += instruction instanceof TypeInsnNode type && type.getOpcode() == Opcodes.NEW && type.desc.endsWith("$ThemePackage") ? 1 : 0;
        }
        return made;
    }

    @Test
    public void aReaderWithoutThePatchedMethodsStopsTheSetUp() {
        ClassWriter empty = new ClassWriter(0);
        empty.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, TablePatches.SPEC, null, "java/lang/Object", null);
        assertThrows(IllegalStateException.class, () -> TablePatches.apply(TablePatches.SPEC, empty.toByteArray()));
    }

    @Test
    public void filesAreNotWaitedFor() {
        String sync = "$$robo$$android_os_FileUtils$sync";
        ClassWriter utils = new ClassWriter(0);
        utils.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "android/os/FileUtils", null, "java/lang/Object", null);
        assertThrows(IllegalStateException.class, () -> Patches.apply("android.os.FileUtils", utils.toByteArray()));
        utils.visitMethod(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC, sync, "(Ljava/io/FileOutputStream;)Z", null, null);
        ClassNode patched = new ClassNode();
        new ClassReader(Patches.apply("android.os.FileUtils", utils.toByteArray())).accept(patched, 0);
        MethodNode method = patched.methods.get(0);
        AbstractInsnNode first = method.instructions.getFirst();
        assertEquals(Opcodes.ICONST_1, first.getOpcode());
    }
}
