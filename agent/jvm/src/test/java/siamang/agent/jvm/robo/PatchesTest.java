package siamang.agent.jvm.robo;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
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

public final class PatchesTest {
    private static final String[] PATCHED = {
        "org.robolectric.shadows.ShadowActivity", "org.robolectric.shadows.ShadowLoadedApk", "org.robolectric.shadows.ShadowTabHost",
        "org.robolectric.shadows.ShadowTabActivity", "org.robolectric.shadows.ShadowActivityGroup", "org.robolectric.shadows.ClassNameResolver",
        "org.robolectric.android.internal.AndroidTestEnvironment", "org.robolectric.shadows.ShadowApplicationPackageManager",
        "org.robolectric.shadows.ShadowInputMethodManager", "org.robolectric.shadows.SystemUi", "org.robolectric.shadows.ShadowServiceManager$BinderService",
        "org.robolectric.shadows.ShadowPausedSystemClock", "org.robolectric.shadows.ShadowPausedLooper$IdlingRunnable",
        "org.robolectric.shadows.ShadowAccessibilityManager",
    };

    @Test
    public void everyPatchFindsItsMethodInThePinnedRobolectric() throws IOException {
        for (String name : PATCHED) {
            byte[] before = bytes(name);
            byte[] after = Patches.apply(name, before);
            assertTrue(name, new ClassReader(after).getClassName().equals(name.replace('.', '/')));
        }
    }

    @Test
    public void aDroppedShadowMethodIsNeitherPublicNorProtected() throws IOException {
        ClassNode shadow = new ClassNode();
        new ClassReader(Patches.apply(PATCHED[0], bytes(PATCHED[0]))).accept(shadow, 0);
        int seen = 0;
        for (MethodNode method : shadow.methods) {
            if (method.name.equals("dismissDialog")) {
                seen++;
                assertEquals(0, method.access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED));
            }
        }
        assertEquals(1, seen);
    }

    @Test
    public void aShadowWithoutThePatchedMethodsStopsTheHost() {
        ClassWriter empty = new ClassWriter(0);
        empty.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, PATCHED[0].replace('.', '/'), null, "java/lang/Object", null);
        assertThrows(IllegalStateException.class, () -> Patches.apply(PATCHED[0], empty.toByteArray()));
    }

    @Test
    public void callsOfTheFrameworkToWhatTheJdkLacksGoToTheHost() throws IOException {
        ClassNode data = new ClassNode();
        new ClassReader(Patches.apply("libcore.icu.LocaleData", bytes("libcore.icu.LocaleData"))).accept(data, 0);
        int redirected = 0;
        for (MethodNode method : data.methods) {
            for (AbstractInsnNode instruction : method.instructions) {
                if (instruction instanceof MethodInsnNode call) {
                    assertFalse(call.owner, call.owner.startsWith("sun/"));
                    redirected += call.owner.endsWith("/AndroidsJava") ? 1 : 0;
                }
            }
        }
        assertEquals(1, redirected);
    }

    @Test
    public void whatWaitsForTheDiskIsDoneAtOnce() throws Exception {
        ClassWriter files = new ClassWriter(0);
        files.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "android/os/FileUtils", null, "java/lang/Object", null);
        String name = "$$robo$$android_os_FileUtils$sync";
        files.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, name, "()Z", null, null).visitEnd();
        byte[] patched = Patches.apply("android.os.FileUtils", files.toByteArray());
        Class<?> type = new ClassLoader() {
            Class<?> define() {
                return defineClass(null, patched, 0, patched.length);
            }
        }.define();
        assertEquals(true, type.getMethod(name).invoke(null));
    }

    @Test
    public void otherClassesAreLeftAlone() {
        byte[] bytes = {1, 2, 3};
        assertSame(bytes, Patches.apply("org.robolectric.shadows.ShadowView", bytes));
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream in = PatchesTest.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }
}
