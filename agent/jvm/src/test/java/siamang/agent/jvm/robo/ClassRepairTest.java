package siamang.agent.jvm.robo;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import siamang.agent.jvm.robo.inside.AppHooks;
import siamang.agent.jvm.robo.inside.TimedWaits;
import siamang.agent.jvm.robo.inside.VirtualScheduler;
import siamang.agent.jvm.robo.inside.VirtualTimer;

public final class ClassRepairTest {
    @Test
    public void oldClassesGetAVersionThatAllowsCodeInInterfacesAndTheFileOfTheDex() {
        ClassNode node = repaired("Real.kt", -1, method -> { });
        assertEquals(52, node.version);
        assertEquals("Real.kt", node.sourceFile);
        assertEquals("A.java", repaired(null, -1, method -> { }).sourceFile);
    }

    @Test
    public void timeChanceAndTheEndOfTheProcessAreTheHosts() {
        ClassNode node = repaired(null, -1, method -> {
            method.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/System", "currentTimeMillis", "()J", false);
            method.visitInsn(Opcodes.POP2);
            method.visitInsn(Opcodes.ICONST_0);
            method.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/System", "exit", "(I)V", false);
            method.visitInsn(Opcodes.ICONST_0);
            method.visitMethodInsn(Opcodes.INVOKESTATIC, "android/os/Process", "killProcess", "(I)V", false);
            method.visitTypeInsn(Opcodes.NEW, "java/util/Random");
            method.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/util/Random", "<init>", "()V", false);
        });
        assertEquals(List.of("AppHooks.currentTimeMillis()J", "AppHooks.exit(I)V", "AppHooks.killProcess(I)V", "AppHooks.randomSeed()J", "Random.<init>(J)V"),
                calls(node));
    }

    @Test
    public void whatWaitsForATimeWaitsByTheDevicesClock() {
        ClassNode node = repaired(null, -1, method -> {
            method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "app/Lock", "wait", "(J)V", false);
            method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "app/Lock", "wait", "()V", false);
            method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "app/Lock", "join", "(J)V", false);
            method.visitMethodInsn(Opcodes.INVOKEINTERFACE, "java/util/concurrent/locks/Condition", "awaitNanos", "(J)J", true);
            method.visitMethodInsn(Opcodes.INVOKESTATIC, "java/util/concurrent/Executors", "newScheduledThreadPool",
                    "(I)Ljava/util/concurrent/ScheduledExecutorService;", false);
            method.visitTypeInsn(Opcodes.NEW, "java/util/Timer");
            method.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/util/Timer", "<init>", "(Z)V", false);
        });
        assertEquals(List.of("TimedWaits.wait(Ljava/lang/Object;J)V", "Lock.wait()V", "Lock.join(J)V",
                "TimedWaits.awaitNanos(Ljava/util/concurrent/locks/Condition;J)J",
                "AppHooks.newScheduledThreadPool(I)Ljava/util/concurrent/ScheduledExecutorService;", "VirtualTimer.<init>(Z)V"), calls(node));
        ClassWriter own = new ClassWriter(0);
        own.visit(Opcodes.V1_6, Opcodes.ACC_PUBLIC, "app/Own", null, "java/util/concurrent/ScheduledThreadPoolExecutor", null);
        assertEquals("siamang/agent/jvm/robo/inside/VirtualScheduler",
                new ClassReader(new ClassRepair(null, owner -> false).apply(own.toByteArray(), "app.Own", -1)).getSuperName());
    }

    @Test
    public void everyCallThatIsSentElsewhereFindsSomebodyThere() throws Exception {
        Set<String> hooks = new HashSet<>();
        for (Class<?> type : List.of(TimedWaits.class, AppHooks.class)) {
            for (Method method : type.getMethods()) {
                hooks.add(type.getName().replace('.', '/') + "." + method.getName() + Type.getMethodDescriptor(method));
            }
        }
        for (Map.Entry<String, String> call : TimedCalls.all().entrySet()) {
            String owner = call.getKey().substring(0, call.getKey().indexOf('.'));
            String name = call.getKey().substring(call.getKey().indexOf('.') + 1, call.getKey().indexOf('('));
            String descriptor = call.getKey().substring(call.getKey().indexOf('('));
            assertTrue(call.getKey(), Arrays.stream(Class.forName(owner.replace('/', '.')).getMethods())
                    .anyMatch(method -> method.getName().equals(name) && Type.getMethodDescriptor(method).equals(descriptor)));
            assertTrue(call.getKey(), hooks.contains(TimedCalls.HOOKS + "." + name + call.getValue()));
        }
        for (String wait : List.of("(J)V", "(JI)V")) {
            assertTrue(hooks.contains(TimedCalls.HOOKS + ".wait" + TimedCalls.instead("app/Any", "wait", wait)));
        }
        for (Class<?>[] pair : new Class<?>[][] {{Timer.class, VirtualTimer.class}, {ScheduledThreadPoolExecutor.class, VirtualScheduler.class}}) {
            for (Constructor<?> made : pair[0].getConstructors()) {
                pair[1].getConstructor(made.getParameterTypes());
            }
        }
    }

    @Test
    public void methodsThatAreLookedUpByNameAreShownToTheHost() {
        ClassNode node = repaired(null, -1, method -> {
            method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/lang/Class", "getMethod", "(Ljava/lang/String;[Ljava/lang/Class;)Ljava/lang/reflect/Method;", false);
        });
        assertEquals("AppHooks.found(Ljava/lang/reflect/Method;)Ljava/lang/reflect/Method;", calls(node).get(1));
    }

    @Test
    public void staticCallsOfInterfacesSaySo() {
        ClassNode node = repaired(null, -1, method -> {
            method.visitMethodInsn(Opcodes.INVOKESTATIC, "app/Face", "go", "()V", false);
            method.visitMethodInsn(Opcodes.INVOKESTATIC, "app/Body", "go", "()V", false);
        });
        List<Boolean> found = new ArrayList<>();
        for (AbstractInsnNode instruction : run(node).instructions) {
            if (instruction instanceof MethodInsnNode call) {
                found.add(call.itf);
            }
        }
        assertEquals(List.of(true, false), found);
    }

    @Test
    public void onlyClassesOfTheAppGetProbes() {
        assertTrue(calls(repaired(null, 7, method -> { }), "$jacocoInit").contains("AppHooks.probes(II)[Z"));
        ClassNode added = repaired(null, -1, method -> { });
        assertFalse(added.methods.stream().anyMatch(method -> method.name.equals("$jacocoInit")));
    }

    @Test
    public void callbacksOfTheAppSayThatTheyAreEntered() {
        assertTrue(calls(withMethod("onClick"), "onClick").contains("AppHooks.entered(Ljava/lang/String;)V"));
        assertFalse(calls(withMethod("onDraw"), "onDraw").contains("AppHooks.entered(Ljava/lang/String;)V"));
        assertFalse(calls(withMethod("once"), "once").contains("AppHooks.entered(Ljava/lang/String;)V"));
        assertTrue(CallbackNames.isCallback("app/A", "handleMessage", Opcodes.ACC_PUBLIC));
        assertFalse(CallbackNames.isCallback("androidx/fragment/app/Fragment", "onCreate", Opcodes.ACC_PUBLIC));
        assertFalse(CallbackNames.isCallback("app/A", "onClick", Opcodes.ACC_PRIVATE));
    }

    private static ClassNode withMethod(String name) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V1_6, Opcodes.ACC_PUBLIC, "app/A", null, "java/lang/Object", null);
        MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC, name, "()V", null, null);
        method.visitCode();
        method.visitInsn(Opcodes.RETURN);
        method.visitMaxs(0, 1);
        method.visitEnd();
        ClassNode node = new ClassNode();
        new ClassReader(new ClassRepair(null, owner -> false).apply(writer.toByteArray(), "app.A", 1)).accept(node, 0);
        return node;
    }

    private interface Code {
        void write(MethodVisitor method);
    }

    private static ClassNode repaired(String source, int number, Code code) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V1_6, Opcodes.ACC_PUBLIC, "app/A", null, "java/lang/Object", null);
        MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", "()V", null, null);
        method.visitCode();
        code.write(method);
        method.visitInsn(Opcodes.RETURN);
        method.visitMaxs(2, 0);
        method.visitEnd();
        ClassNode node = new ClassNode();
        new ClassReader(new ClassRepair(source, owner -> owner.equals("app/Face")).apply(writer.toByteArray(), "app.A", number)).accept(node, 0);
        return node;
    }

    private static MethodNode run(ClassNode node) {
        return node.methods.stream().filter(method -> method.name.equals("run")).findFirst().orElseThrow();
    }

    private static List<String> calls(ClassNode node) {
        return calls(node, "run");
    }

    private static List<String> calls(ClassNode node, String in) {
        List<String> calls = new ArrayList<>();
        for (MethodNode method : node.methods) {
            if (method.name.equals(in)) {
                for (AbstractInsnNode instruction : method.instructions) {
                    if (instruction instanceof MethodInsnNode call) {
                        calls.add(call.owner.substring(call.owner.lastIndexOf('/') + 1) + "." + call.name + call.desc);
                    }
                }
            }
        }
        return calls;
    }
}
