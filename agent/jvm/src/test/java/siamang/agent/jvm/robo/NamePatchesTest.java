package siamang.agent.jvm.robo;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

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

public final class NamePatchesTest {
    @Test
    public void whoseAClassOfThePinnedRobolectricIsIsAskedWithoutCompiling() throws IOException {
        ClassNode configuration = new ClassNode();
        try (InputStream in = NamePatchesTest.class.getResourceAsStream("/" + NamePatches.CONFIGURATION + ".class")) {
            new ClassReader(NamePatches.apply(in.readAllBytes())).accept(configuration, 0);
        }
        int asked = 0;
        for (MethodNode method : configuration.methods) {
            for (AbstractInsnNode instruction : method.instructions) {
                if (method.name.equals("shouldAcquire") && instruction instanceof MethodInsnNode call && call.name.equals("matches")) {
                    assertFalse(call.owner.equals("java/lang/String"));
                    asked++;
                }
            }
        }
        assertEquals(1, asked);
    }

    @Test
    public void anExpressionAnswersAsAStringDoes() {
        String[] expressions = {"(android|com\\.android\\.internal)\\.R(\\$.+)?", "a.*"};
        for (String expression : expressions) {
            for (String name : new String[] {"android.R", "android.R$id", "android.Rid", "com.android.internal.R$", "android.view.View", ""}) {
                assertEquals(name.matches(expression), Expression.matches(name, expression));
            }
        }
        assertTrue(Expression.matches("android.R$id", expressions[0]));
    }

    @Test
    public void aClassWithoutThePatchedMethodStopsTheSetUp() {
        ClassWriter empty = new ClassWriter(0);
        empty.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, NamePatches.CONFIGURATION, null, "java/lang/Object", null);
        assertThrows(IllegalStateException.class, () -> NamePatches.apply(empty.toByteArray()));
    }
}
