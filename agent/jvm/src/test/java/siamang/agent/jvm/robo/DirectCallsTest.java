package siamang.agent.jvm.robo;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

public final class DirectCallsTest {
    private static final String SUPPORT = "org/robolectric/internal/bytecode/InvokeDynamicSupport";
    private static final String INTERNALS = "org/robolectric/internal/bytecode/RobolectricInternals";
    private static final String TYPE = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;"
            + "Ljava/lang/invoke/MethodHandle;I)Ljava/lang/invoke/CallSite;";

    @Test
    public void aClassThatNoShadowNamesIsCalledPlainly() {
        DirectCalls calls = DirectCalls.of(List.of(shadow("a.Shadow", "java/lang/Object", "a.Other", true, "go")));
        assertEquals(List.of("go plain", "own plain"), callsIn(calls.applied(framework("a/Real"))));
    }

    @Test
    public void whatAShadowHasStaysDynamicAndTheRestIsPlain() {
        DirectCalls calls = DirectCalls.of(List.of(shadow("a.Shadow", "java/lang/Object", "a.Real$Inner", true, "go")));
        assertEquals(List.of("go dynamic", "own dynamic"), callsIn(calls.applied(framework("a/Real$Inner"))));
        DirectCalls of = DirectCalls.of(List.of(shadow("a.Shadow", "java/lang/Object", "a.Real", true, "other")));
        // Native code of a shadowed class may be bound to a library.
        assertEquals(List.of("go plain", "own dynamic"), callsIn(of.applied(framework("a/Real"))));
    }

    @Test
    public void whatAShadowInheritsIsItsOwn() {
        byte[] base = shadow("a.Base", "java/lang/Object", "a.Something", true, "go");
        byte[] below = shadow("a.Shadow", "a/Base", "a.Real", true, "other");
        assertEquals(List.of("go dynamic", "own dynamic"), callsIn(DirectCalls.of(List.of(base, below)).applied(framework("a/Real"))));
    }

    @Test
    public void aShadowThatDoesNotCallThroughStandsForEverything() {
        DirectCalls calls = DirectCalls.of(List.of(shadow("a.Shadow", "java/lang/Object", "a.Real", false, "other")));
        assertEquals(List.of("go dynamic", "own dynamic"), callsIn(calls.applied(framework("a/Real"))));
    }

    @Test
    public void theShadowsOfThePinnedRobolectricAreRead() throws IOException {
        byte[] shadow;
        try (InputStream in = DirectCallsTest.class.getResourceAsStream("/org/robolectric/shadows/ShadowDisplayManagerGlobal.class")) {
            shadow = in.readAllBytes();
        }
        DirectCalls calls = DirectCalls.of(List.of(shadow));
        assertEquals(List.of("go plain", "own dynamic"), callsIn(calls.applied(framework("android/hardware/display/DisplayManagerGlobal"))));
    }

    @Test
    public void aClassIsSetUpPlainlyUnlessAShadowSetsItUp() {
        DirectCalls none = DirectCalls.of(List.of(shadow("a.Shadow", "java/lang/Object", "a.Real", true, "go")));
        assertEquals("a/Real.__staticInitializer__", setUpOf(none.applied(initialised("a/Real"))));
        DirectCalls one = DirectCalls.of(List.of(shadow("a.Shadow", "java/lang/Object", "a.Real", true, "__staticInitializer__")));
        assertEquals(INTERNALS + ".classInitializing", setUpOf(one.applied(initialised("a/Real"))));
        assertEquals("a/Other.__staticInitializer__", setUpOf(one.applied(initialised("a/Other"))));
    }

    private static byte[] initialised(String name) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
        code.visitLdcInsn(Type.getObjectType(name));
        code.visitMethodInsn(Opcodes.INVOKESTATIC, INTERNALS, "classInitializing", "(Ljava/lang/Class;)V", false);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(1, 0);
        return writer.toByteArray();
    }

    private static String setUpOf(byte[] bytes) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, 0);
        for (AbstractInsnNode instruction : node.methods.get(0).instructions) {
            if (instruction instanceof MethodInsnNode call) {
                return call.owner + "." + call.name;
            }
        }
        return "";
    }

    /** A class with two methods, the second of native code, as the instrumented framework has them. */
    private static byte[] framework(String name) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
        Handle bootstrap = new Handle(Opcodes.H_INVOKESTATIC, SUPPORT, "bootstrap", TYPE, false);
        for (String method : new String[] {"go", "own"}) {
            MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC, method, "()V", null, null);
            Handle real = new Handle(Opcodes.H_INVOKESPECIAL, name, "$$robo$$" + method, "()V", false);
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitInvokeDynamicInsn(method, "(L" + name + ";)V", bootstrap, real, method.equals("own") ? 1 : 0);
            code.visitInsn(Opcodes.RETURN);
            code.visitMaxs(1, 1);
            writer.visitMethod(Opcodes.ACC_PRIVATE | Opcodes.ACC_NATIVE, "$$robo$$" + method, "()V", null, null);
        }
        return writer.toByteArray();
    }

    private static byte[] shadow(String name, String parent, String of, boolean callsThrough, String method) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name.replace('.', '/'), null, parent, null);
        AnnotationVisitor annotation = writer.visitAnnotation("Lorg/robolectric/annotation/Implements;", true);
        if (of.contains("$")) {
            annotation.visit("className", of);
        } else {
            annotation.visit("value", Type.getObjectType(of.replace('.', '/')));
        }
        annotation.visit("callThroughByDefault", callsThrough);
        annotation.visitEnd();
        writer.visitMethod(Opcodes.ACC_PROTECTED | Opcodes.ACC_ABSTRACT, method, "()V", null, null);
        return writer.toByteArray();
    }

    private static List<String> callsIn(byte[] bytes) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, 0);
        List<String> calls = new ArrayList<>();
        for (MethodNode method : node.methods) {
            for (AbstractInsnNode instruction : method.instructions) {
                if (instruction instanceof MethodInsnNode call) {
                    assertEquals(Opcodes.INVOKESPECIAL, call.getOpcode());
                    assertEquals("$$robo$$" + method.name, call.name);
                    calls.add(method.name + " plain");
                } else if (instruction instanceof InvokeDynamicInsnNode) {
                    calls.add(method.name + " dynamic");
                }
            }
        }
        return calls;
    }
}
