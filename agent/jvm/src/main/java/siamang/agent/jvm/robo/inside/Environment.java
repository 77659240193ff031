package siamang.agent.jvm.robo.inside;

import android.app.Instrumentation;
import javax.inject.Named;
import org.robolectric.android.internal.AndroidTestEnvironment;
import org.robolectric.internal.ShadowProvider;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.pluginapi.TestEnvironmentLifecyclePlugin;

/** Robolectric's environment with our instrumentation in it. */
public final class Environment extends AndroidTestEnvironment {
    public Environment(@Named("runtimeSdk") Sdk runtime, @Named("compileSdk") Sdk compile, ShadowProvider[] shadows,
            TestEnvironmentLifecyclePlugin[] plugins) {
        super(runtime, compile, shadows, plugins);
    }

    @Override
    protected Instrumentation pickInstrumentation() {
        return new HostInstrumentation();
    }
}
