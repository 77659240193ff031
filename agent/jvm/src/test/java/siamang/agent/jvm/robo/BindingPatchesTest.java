package siamang.agent.jvm.robo;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import org.junit.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

public final class BindingPatchesTest {
    @Test
    public void aCallOfThePinnedRobolectricIsBoundWithoutCheckAndHandler() throws IOException {
        ClassNode support = new ClassNode();
        try (InputStream in = BindingPatchesTest.class.getResourceAsStream("/" + BindingPatches.SUPPORT + ".class")) {
            new ClassReader(BindingPatches.apply(in.readAllBytes())).accept(support, 0);
        }
        int targets = 0;
        for (MethodNode method : support.methods) {
            for (AbstractInsnNode instruction : method.instructions) {
                if (instruction instanceof MethodInsnNode call) {
                    assertFalse(method.name, call.name.equals("guardWithTest") || call.name.equals("catchException"));
                    targets += call.name.equals("setTarget") ? 1 : 0;
                }
            }
        }
        assertEquals(1, targets);
    }

    @Test
    public void aClassWithoutThePatchedMethodsStopsTheSetUp() {
        ClassWriter empty = new ClassWriter(0);
        empty.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, BindingPatches.SUPPORT, null, "java/lang/Object", null);
        assertThrows(IllegalStateException.class, () -> BindingPatches.apply(empty.toByteArray()));
    }
}
