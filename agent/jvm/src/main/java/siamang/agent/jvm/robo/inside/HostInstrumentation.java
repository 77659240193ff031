package siamang.agent.jvm.robo.inside;

import android.app.Activity;
import android.app.Application;
import android.content.BroadcastReceiver;
import android.content.ContentProvider;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.pm.FeatureInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ProviderInfo;
import android.content.pm.Signature;
import android.content.pm.SigningInfo;
import android.os.Bundle;
import android.os.IBinder;
import android.os.UserHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.robolectric.Robolectric;
import org.robolectric.android.internal.RoboMonitoringInstrumentation;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowPackageManager;
import org.robolectric.shadows.ShadowSigningInfo;
import org.robolectric.util.ReflectionHelpers;

/** Hands what apps ask of the system to the task stack, and sets up what is there before Application.onCreate. */
public final class HostInstrumentation extends RoboMonitoringInstrumentation {
    private static final String[] FEATURES = {
        PackageManager.FEATURE_TOUCHSCREEN, PackageManager.FEATURE_CAMERA, PackageManager.FEATURE_WIFI, PackageManager.FEATURE_LOCATION,
        PackageManager.FEATURE_TELEPHONY, PackageManager.FEATURE_SCREEN_PORTRAIT, PackageManager.FEATURE_SCREEN_LANDSCAPE,
    };

    @Override
    public ActivityResult execStartActivity(Context who, IBinder thread, IBinder token, Activity target, Intent intent, int code, Bundle options) {
        TaskStack.get().request(who, target, null, intent, code, options);
        return null;
    }

    @Override
    public ActivityResult execStartActivity(Context who, IBinder thread, IBinder token, String target, Intent intent, int code, Bundle options) {
        TaskStack.get().request(who, who instanceof Activity ? (Activity) who : null, target, intent, code, options);
        return null;
    }

    @Override
    public ActivityResult execStartActivity(Context who, IBinder thread, IBinder token, String target, Intent intent, int code, Bundle options,
            UserHandle user) {
        return execStartActivity(who, thread, token, target, intent, code, options);
    }

    @Override
    public void execStartActivities(Context who, IBinder thread, IBinder token, Activity target, Intent[] intents, Bundle options) {
        for (Intent intent : intents) {
            TaskStack.get().request(who, target, null, intent, -1, options);
        }
    }

    @Override
    public void callApplicationOnCreate(Application app) {
        ShadowPackageManager packages = Shadow.extract(app.getPackageManager());
        for (String name : FEATURES) {
            FeatureInfo feature = new FeatureInfo();
            feature.name = name;
            packages.addSystemAvailableFeature(feature);
        }
        ReflectionHelpers.setField(app.getBaseContext(), "mClassLoader", AppProcess.current().loader);
        if (JvmBackend.get().boot.isPlain()) {
            super.callApplicationOnCreate(app);
            return;
        }
        JvmBackend.get().storage.putBack(app);
        JvmBackend.get().permissions.apply(app);
        sign(packages.getInternalMutablePackageInfo(app.getPackageName()), JvmBackend.get().signer);
        Robolectric.buildContentProvider(Documents.class).create(Documents.AUTHORITY);
        Robolectric.buildContentProvider(OtherData.class).create(OtherData.AUTHORITIES);
        installProviders(app);
        registerReceivers(app);
        String name = app.getClass().getName();
        Lifecycle.wrap("Unable to create application " + name, () -> super.callApplicationOnCreate(app));
    }

    private static void sign(PackageInfo info, byte[] certificate) {
        if (certificate != null) {
            info.signatures = new Signature[] {new Signature(certificate)};
            info.signingInfo = Shadow.newInstanceOf(SigningInfo.class);
            ((ShadowSigningInfo) Shadow.extract(info.signingInfo)).setSignatures(info.signatures);
        }
    }

    private static void installProviders(Application app) {
        PackageInfo info;
        try {
            info = app.getPackageManager().getPackageInfo(app.getPackageName(), PackageManager.GET_PROVIDERS);
        } catch (PackageManager.NameNotFoundException e) {
            throw new IllegalStateException(e);
        }
        List<ProviderInfo> providers = new ArrayList<>(info.providers == null ? List.of() : Arrays.asList(info.providers));
        providers.sort((one, other) -> other.initOrder - one.initOrder);
        for (ProviderInfo provider : providers) {
            if (provider.enabled) {
                Lifecycle.wrap("Unable to get provider " + provider.name, () -> {
                    try {
                        Robolectric.buildContentProvider(Hooks.forName(provider.name).asSubclass(ContentProvider.class)).create(provider);
                    } catch (ClassNotFoundException e) {
                        throw new RuntimeException(e);
                    }
                });
            }
        }
    }

    private static void registerReceivers(Application app) {
        for (Map.Entry<String, List<String>> entry : JvmBackend.get().manifest.receivers.entrySet()) {
            if (entry.getValue().isEmpty()) {
                continue;
            }
            IntentFilter filter = new IntentFilter();
            entry.getValue().forEach(filter::addAction);
            try {
                BroadcastReceiver receiver = Hooks.forName(entry.getKey()).asSubclass(BroadcastReceiver.class).getConstructor().newInstance();
                app.registerReceiver(receiver, filter, Context.RECEIVER_EXPORTED);
            } catch (ReflectiveOperationException e) {
                // A phone would find out when the broadcast comes; nothing here sends one by itself.
                JvmBackend.get().events.warn("receiver " + entry.getKey() + " is not registered", String.valueOf(e));
            }
        }
    }

    /** The looper's exceptions are the host's to catch. */
    @Override
    public boolean onException(Object object, Throwable e) {
        return false;
    }
}
