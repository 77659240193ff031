package siamang.agent.jvm.robo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import javax.inject.Named;
import org.robolectric.internal.AndroidSandbox;
import org.robolectric.internal.bytecode.ClassInstrumentor;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;
import org.robolectric.pluginapi.Sdk;

/**
 * Framework, Robolectric and the host's inside classes. Found through META-INF/services: binding it in the injector is
 * silently ignored.
 */
public final class FrameworkLoader extends AndroidSandbox.SdkSandboxClassLoader {
    /** Names classes that nearly every app needs, in the order in which they are needed. */
    private static final String AHEAD = "ahead.txt";

    private final JarFile jar;

    public FrameworkLoader(InstrumentationConfiguration configuration, @Named("runtimeSdk") Sdk sdk, ClassInstrumentor instrumentor)
            throws IOException {
        super(configuration, sdk, instrumentor);
        jar = new JarFile(sdk.getJarPath().toFile(), false);
    }

    AppLoader.Code code(List<Path> own, List<Path> added, Map<String, String> sources) throws IOException {
        return new AppLoader.Code(own, added, sources, file -> jar.getEntry(file) != null);
    }

    /** The framework's own come straight from its file: a connection for each of ten thousand would take its time. */
    @Override
    protected byte[] getByteCode(String name) throws ClassNotFoundException {
        JarEntry entry = jar.getJarEntry(name.replace('.', '/') + ".class");
        return Patches.apply(name.replace('/', '.'), entry == null ? super.getByteCode(name) : read(entry));
    }

    private byte[] read(JarEntry entry) throws ClassNotFoundException {
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(entry.getName(), e);
        }
    }

    /** Loads what will be needed soon, while the main thread is busy with what is needed now. Nothing is initialised by it. */
    void loadAhead() {
        Thread thread = new Thread(() -> {
            try (BufferedReader names = new BufferedReader(new InputStreamReader(FrameworkLoader.class.getResourceAsStream(AHEAD), StandardCharsets.UTF_8))) {
                for (String line = names.readLine(); line != null; line = names.readLine()) {
                    load(line.split(" "));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, "siamang-ahead");
        thread.setDaemon(true);
        thread.start();
    }

    /** A package and names in it; what begins with a hash is a remark. */
    private void load(String[] words) {
        for (int i = 1; i < words.length && !words[0].startsWith("#"); i++) {
            try {
                Class.forName(words[0] + "." + words[i], false, this);
            } catch (ClassNotFoundException | LinkageError e) {
                // Whoever needs it will hear of it.
                continue;
            }
        }
    }
}
