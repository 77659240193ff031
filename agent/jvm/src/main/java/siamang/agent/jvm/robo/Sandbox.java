package siamang.agent.jvm.robo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.zip.ZipFile;
import org.robolectric.android.AndroidSdkShadowMatcher;
import org.robolectric.annotation.ResourcesMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.interceptors.AndroidInterceptors;
import org.robolectric.internal.AndroidSandbox;
import org.robolectric.internal.SandboxManager;
import org.robolectric.internal.bytecode.ClassHandlerBuilder;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;
import org.robolectric.internal.bytecode.Interceptors;
import org.robolectric.internal.bytecode.MethodRef;
import org.robolectric.internal.bytecode.ShadowMap;
import org.robolectric.internal.bytecode.ShadowProviders;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.pluginapi.SdkProvider;
import org.robolectric.util.inject.Injector;
import siamang.agent.core.Backend;
import siamang.agent.jvm.apk.BadApkException;
import siamang.agent.jvm.apk.Prepare;
import siamang.agent.jvm.robo.shared.ApkManifest;
import siamang.agent.jvm.robo.shared.AppClasses;

/** One Android in this JVM: the framework behind a class loader of its own, with a main thread that is the host's to run. */
public final class Sandbox {
    private static final int API = 34;
    private static final String INSIDE = "siamang.agent.jvm.robo.inside.";
    /** Loaded once and known on both sides. */
    private static final String[] SHARED = {
        "org.bouncycastle.", "org.conscrypt.", "org.objectweb.asm", "org.robolectric.manifest.", "org.robolectric.res.", "org.w3c.", "org.xml.",
        "siamang.agent.core.", "siamang.agent.jvm.apk.", "siamang.agent.jvm.robo.shared.",
    };
    private static final String[] FRAMEWORK = {
        "dalvik.", "libcore.", "android.", "com.android.internal.", "org.apache.http.", "org.ccil.cowan.tagsoup.", "org.kxml2.",
    };

    private final AndroidSandbox android;

    private Sandbox(AndroidSandbox android) {
        this.android = android;
    }

    public static Sandbox build() throws ClassNotFoundException {
        ClassLoader host = Sandbox.class.getClassLoader();
        Injector injector = new Injector.Builder()
                .bind(Properties.class, System.getProperties())
                .bind(AndroidSandbox.TestEnvironmentSpec.class, environment(host))
                .build();
        Sdk sdk = null;
        for (Sdk known : injector.getInstance(SdkProvider.class).getSdks()) {
            sdk = known.getApiLevel() == API ? known : sdk;
        }
        Interceptors interceptors = new Interceptors(AndroidInterceptors.all());
        ShadowProviders providers = injector.getInstance(ShadowProviders.class);
        AndroidSandbox android = injector.getInstance(SandboxManager.SandboxBuilder.class)
                .build(configuration(interceptors, providers), sdk, sdk, ResourcesMode.Mode.BINARY, SQLiteMode.Mode.NATIVE);
        ((FrameworkLoader) android.getRobolectricClassLoader()).loadAhead();
        ShadowMap shadows = providers.getBaseShadowMap().newBuilder()
                .addShadowClasses(Class.forName(INSIDE + "ShadowContext", false, host))
                .build();
        android.replaceShadowMap(shadows);
        android.configure(injector.getInstance(ClassHandlerBuilder.class).build(shadows, new AndroidSdkShadowMatcher(API), interceptors), interceptors);
        return new Sandbox(android);
    }

    /** Not initialised here: the environment's class works inside the sandbox only. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static AndroidSandbox.TestEnvironmentSpec environment(ClassLoader host) throws ClassNotFoundException {
        return new AndroidSandbox.TestEnvironmentSpec((Class) Class.forName(INSIDE + "Environment", false, host));
    }

    private static InstrumentationConfiguration configuration(Interceptors interceptors, ShadowProviders providers) {
        InstrumentationConfiguration.Builder builder = new InstrumentationConfiguration.Builder();
        for (MethodRef method : interceptors.getAllMethodRefs()) {
            builder.addInterceptedMethod(method);
        }
        builder.doNotAcquireClass("org.robolectric.shadow.api.ShadowPicker");
        for (String name : SHARED) {
            builder.doNotAcquirePackage(name);
        }
        builder.addClassNameTranslation("java.net.ExtendedResponseCache", "org.robolectric.fakes.RoboExtendedResponseCache")
                .addClassNameTranslation("java.net.ResponseSource", "org.robolectric.fakes.RoboResponseSource")
                .addClassNameTranslation("java.nio.charset.Charsets", StandardCharsets.class.getName())
                .addClassNameTranslation("java.lang.UnsafeByteSequence", Object.class.getName())
                .addClassNameTranslation("java.util.jar.StrictJarFile", Object.class.getName())
                .addClassNameTranslation("sun.misc.Cleaner", "java.lang.ref.Cleaner$Cleanable");
        builder.doNotInstrumentPackage("android.support.").doNotInstrumentPackage("android.arch").doNotInstrumentPackage("android.R")
                .doNotInstrumentClass("android.app.RecoverableSecurityException");
        for (String name : FRAMEWORK) {
            builder.addInstrumentedPackage(name);
        }
        // Such as com.android.i18n.timezone: without them text formatting dies in a null time zone table.
        for (String name : providers.getInstrumentedPackages()) {
            builder.addInstrumentedPackage(name);
        }
        return builder.build();
    }

    /**
     * Installs a prepared app and returns the device it runs on. {@code added} are jars that a phone's system image has
     * for old apps; {@code data} is where the app's files may be. {@code warm} shows what every app needs first, without the
     * app.
     */
    public Backend install(Path prepared, List<Path> added, Path data, boolean warm) throws IOException, BadApkException, ReflectiveOperationException {
        Path apk = prepared.resolve("app.apk");
        ApkManifest manifest;
        try (ZipFile zip = new ZipFile(apk.toFile())) {
            manifest = new ApkManifest(apk, Prepare.readManifest(zip), Prepare.readSigner(zip));
        }
        FrameworkLoader loader = (FrameworkLoader) android.getRobolectricClassLoader();
        AppLoader.Code code = loader.code(List.of(prepared.resolve("app.jar"), apk), added, sources(prepared));
        AppClasses classes = () -> new AppLoader(loader, code);
        CompletableFuture<Backend> backend = new CompletableFuture<>();
        Thread main = new Thread(() -> android.runOnMainThread(() -> {
            runMain(loader, manifest, classes, data, warm, backend);
            return null;
        }), "siamang-main");
        main.setDaemon(true);
        main.start();
        return backend.join();
    }

    private void runMain(ClassLoader loader, ApkManifest manifest, AppClasses classes, Path data, boolean warm,
            CompletableFuture<Backend> backend) {
        try {
            Class<?> type = loader.loadClass(INSIDE + "JvmBackend");
            Runnable device = (Runnable) type.getConstructor(Object.class, ApkManifest.class, AppClasses.class, Path.class)
                    .newInstance(android.getTestEnvironment(), manifest, classes, data);
            if (warm) {
                type.getMethod("warmUp").invoke(device);
            }
            backend.complete((Backend) device);
            device.run();
        } catch (ReflectiveOperationException | LinkageError e) {
            backend.completeExceptionally(e);
        }
    }

    static Map<String, String> sources(Path prepared) throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (String line : Files.readAllLines(prepared.resolve("sources.txt"))) {
            int tab = line.indexOf('\t');
            if (tab > 0) {
                sources.put(line.substring(0, tab), line.substring(tab + 1));
            }
        }
        return sources;
    }
}
