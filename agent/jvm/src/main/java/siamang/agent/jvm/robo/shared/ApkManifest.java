package siamang.agent.jvm.robo.shared;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.robolectric.manifest.AndroidManifest;
import org.robolectric.manifest.BroadcastReceiverData;
import siamang.agent.jvm.apk.Manifest;

/**
 * The manifest as Robolectric asks for it. Without this every APK would run by the rules of target level 23. Shared by
 * both class loaders.
 */
public final class ApkManifest extends AndroidManifest {
    public final Manifest facts;
    /** The certificate of who signed the app, or null. */
    public final byte[] signer;
    private final Path apk;

    public ApkManifest(Path apk, Manifest facts, byte[] signer) {
        super(null, null, null, Collections.<AndroidManifest>emptyList(), "", apk);
        this.facts = facts;
        this.signer = signer;
        this.apk = apk;
    }

    /** The same APK without its code: for a life in which none of it may run. */
    public ApkManifest plain() {
        return new ApkManifest(apk, facts.plain(), signer);
    }

    @Override
    public int getMinSdkVersion() {
        return facts.minSdk;
    }

    @Override
    public int getTargetSdkVersion() {
        return facts.targetSdk();
    }

    @Override
    public String getAppComponentFactory() {
        return facts.componentFactory;
    }

    @Override
    public String getApplicationName() {
        return facts.application;
    }

    @Override
    public String getPackageName() {
        return facts.pkg;
    }

    /** Those of the manifest are registered by our instrumentation, through the app's own class loader. */
    @Override
    public List<BroadcastReceiverData> getBroadcastReceivers() {
        return new ArrayList<>();
    }
}
