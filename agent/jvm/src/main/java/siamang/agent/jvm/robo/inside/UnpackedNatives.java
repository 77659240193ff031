package siamang.agent.jvm.robo.inside;

import android.text.Hyphenator;
import java.nio.file.Path;
import java.util.Locale;
import javax.annotation.Priority;
import org.robolectric.pluginapi.NativeRuntimeLoader;

/** Loads the native runtime from a folder that was unpacked at set-up: Robolectric would unpack 230 MB at every start. */
@Priority(1)
public final class UnpackedNatives implements NativeRuntimeLoader {
    private static boolean loaded;

    @Override
    public void ensureLoaded() {
        load();
    }

    private static synchronized void load() {
        if (loaded) {
            return;
        }
        loaded = true;
        Path folder = Path.of(System.getProperty("siamang.natives"));
        System.setProperty("robolectric.nativeruntime.fontdir", folder.resolve("fonts") + "/");
        System.setProperty("icu.data.path", folder.resolve("icu/icudt68l.dat").toString());
        System.setProperty("icu.locale.default", Locale.getDefault().toLanguageTag());
        System.setProperty("hyphen.data.dir", folder.resolve("hyphen-data").toString());
        System.load(folder.resolve("native/linux/x86_64/librobolectric-nativeruntime.so").toString());
        Hyphenator.init();
    }
}
