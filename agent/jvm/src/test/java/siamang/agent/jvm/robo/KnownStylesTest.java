package siamang.agent.jvm.robo;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import org.junit.Test;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/** Android's own themes and layouts, with the patched classes in a loader of their own: what is remembered is what Robolectric looks up. */
public final class KnownStylesTest {
    @Test
    public void whatWidgetsGetIsWhatRobolectricLooksUp() throws Exception {
        assertEquals("", inside("compareAttributes"));
    }

    @Test
    public void andInAnotherConfigurationAndBackAgain() throws Exception {
        assertEquals("", inside("compareConfigurations"));
    }

    @Test
    public void aThemeKeepsWhatItHoldsWhateverBecomesOfItsCopies() throws Exception {
        assertEquals("", inside("compareThemes"));
    }

    @Test
    public void resourcesOfTheSameFilesInTheSameConfigurationKnowTheSame() throws Exception {
        assertEquals("", inside("shareAmongResources"));
    }

    @Test
    public void whoAsksForADrawableOfAnotherDensityChangesNothingForAnybody() throws Exception {
        assertEquals("", inside("askForAnotherDensity"));
    }

    @Test
    public void whatIsKnownStaysThatOfTheConfigurationThatItWasLearntIn() throws Exception {
        assertEquals("", inside("writeToConfiguration"));
    }

    @Test
    public void aThemeOfOtherResourcesIsCopiedAsRobolectricDoesIt() throws Exception {
        assertEquals("", inside("copyToOthers"));
    }

    @Test
    public void themesCopiedFromOtherResourcesShareWhatTheyHold() throws Exception {
        assertEquals("", inside("shareCopies"));
    }

    @Test
    public void manyConfigurationsAreForgottenAndLearntAgain() throws Exception {
        assertEquals("", inside("evictConfigurations"));
    }

    @Test
    public void manyThemesAreForgottenAndLearntAgain() throws Exception {
        assertEquals("", inside("evictThemes"));
    }

    @Test
    public void manyAnswersAreForgottenAndLearntAgain() throws Exception {
        assertEquals("", inside("evictAnswers"));
    }

    @Test
    public void whatIsKnownDoesNotKeepTheResourcesThatItWasLearntIn() throws Exception {
        assertEquals("", inside("release"));
    }

    @Test
    public void anythingElseStopsTheSetUp() {
        for (String name : StylePatches.EDITED) {
            assertThrows(IllegalStateException.class, () -> StylePatches.apply(name, empty(name)));
        }
        for (String name : ElementPatches.EDITED) {
            assertThrows(IllegalStateException.class, () -> ElementPatches.apply(name, empty(name)));
        }
    }

    private static byte[] empty(String name) {
        ClassWriter empty = new ClassWriter(0);
        empty.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
        return empty.toByteArray();
    }

    private static Object inside(String what) throws Exception {
        try {
            return new Patched().loadClass("siamang.agent.jvm.robo.KnownStylesProbe").getMethod(what).invoke(null);
        } catch (InvocationTargetException e) {
            throw new AssertionError(what, e.getTargetException());
        }
    }

    /** As a JVM of the device sees these classes. */
    private static final class Patched extends ClassLoader {
        private final Map<String, byte[]> edited;

        Patched() throws IOException {
            super(KnownStylesTest.class.getClassLoader());
            edited = ResourcePatches.apply(Patched::bytes);
        }

        private static byte[] bytes(String name) throws IOException {
            try (InputStream in = KnownStylesTest.class.getResourceAsStream("/" + name + ".class")) {
                return in.readAllBytes();
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("org.robolectric.res.android.") && !name.startsWith("siamang.agent.jvm.robo.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            String path = name.replace('.', '/');
            try {
                byte[] bytes = edited.containsKey(path) ? edited.get(path) : bytes(path);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
