package siamang.agent.jvm.robo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private final Set<String> framework = new HashSet<>(60_000);

    public FrameworkLoader(InstrumentationConfiguration configuration, @Named("runtimeSdk") Sdk sdk, ClassInstrumentor instrumentor)
            throws IOException {
        super(configuration, sdk, instrumentor);
        try (JarFile jar = new JarFile(sdk.getJarPath().toFile())) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                if (entry.getName().endsWith(".class")) {
                    framework.add(entry.getName());
                }
            }
        }
    }

    AppLoader.Code code(List<Path> own, List<Path> added, Map<String, String> sources) throws IOException {
        return new AppLoader.Code(own, added, sources, framework::contains);
    }

    @Override
    protected byte[] getByteCode(String name) throws ClassNotFoundException {
        return Patches.apply(name.replace('/', '.'), super.getByteCode(name));
    }
}
