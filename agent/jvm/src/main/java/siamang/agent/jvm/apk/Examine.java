package siamang.agent.jvm.apk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Says what an APK is before anything is converted: {@code Examine APK} prints one {@code key TAB value} a line, and
 * {@code refused} with the reason where it cannot run on a JVM. It needs nothing but this package.
 */
public final class Examine {
    /** Types whose name in the code tells what an app leans on. Told by the word; what it means here is the reader's business. */
    private static final Map<String, String> TRAITS = new TreeMap<>(Map.of(
            "Landroid/webkit/WebView;", "webview",
            "Landroid/opengl/GLSurfaceView;", "opengl",
            "Ldalvik/system/DexClassLoader;", "loads-code",
            "Lcom/google/android/gms/", "play-services",
            "Landroidx/compose/ui/", "compose",
            "Lkotlin/Unit;", "kotlin",
            "Landroidx/", "androidx",
            "Landroid/hardware/camera2/", "camera",
            "Landroid/hardware/Camera;", "camera"));

    private Examine() {
    }

    public static void main(String[] args) {
        StringBuilder text = new StringBuilder();
        try (ZipFile zip = new ZipFile(Path.of(args[0]).toFile())) {
            examine(zip, text);
        } catch (BadApkException e) {
            Prepare.fact(text, "refused", e.getMessage());
            if (e.needsPhone) {
                Prepare.fact(text, "needs_phone", "yes");
            }
        } catch (ZipException e) {
            Prepare.fact(text, "refused", "not an APK, or a corrupt one: " + e.getMessage());
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            Prepare.fact(text, "refused", "could not be read: " + e);
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        System.out.flush();
    }

    private static void examine(ZipFile zip, StringBuilder text) throws IOException, BadApkException {
        Archive.check(zip);
        Manifest manifest = Prepare.readManifest(zip);
        Prepare.fact(text, "package", manifest.pkg);
        Prepare.fact(text, "version", manifest.version);
        Prepare.fact(text, "min_sdk", String.valueOf(manifest.minSdk));
        Prepare.fact(text, "target_sdk", String.valueOf(manifest.targetSdk()));
        if (manifest.launcher != null) {
            Prepare.fact(text, "launcher", manifest.launcher);
        }
        manifest.activities.forEach(name -> Prepare.fact(text, "activity", name));
        Prepare.nativeLibraries(zip).forEach(library -> Prepare.fact(text, "native", library));
        Set<String> traits = new TreeSet<>();
        for (String dex : Prepare.dexFiles(zip)) {
            Prepare.fact(text, "dex", dex);
            byte[] bytes = Prepare.bytes(zip, zip.getEntry(dex));
            DexSources.read(bytes, new TreeMap<>());
            String code = new String(bytes, StandardCharsets.ISO_8859_1);
            TRAITS.forEach((type, trait) -> {
                if (code.contains(type)) {
                    traits.add(trait);
                }
            });
        }
        traits.forEach(trait -> Prepare.fact(text, "trait", trait));
        Prepare.checkManifest(manifest);
        Prepare.checkNativeCode(zip);
        Prepare.checkResources(zip, manifest);
    }
}
