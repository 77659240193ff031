package siamang.agent.jvm.robo.inside;

import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import java.util.concurrent.Executor;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowContextImpl;

/** A context whose services really run, and whose class loader is the app's. */
@Implements(className = "android.app.ContextImpl")
public class ShadowContext extends ShadowContextImpl {
    @Implementation
    protected ComponentName startService(Intent intent) {
        return Services.get().start(intent);
    }

    @Implementation
    protected ComponentName startForegroundService(Intent intent) {
        return Services.get().start(intent);
    }

    @Implementation
    protected boolean stopService(Intent intent) {
        return Services.get().stop(intent);
    }

    @Implementation
    protected boolean bindService(Intent intent, ServiceConnection connection, int flags) {
        return Services.get().bind(intent, connection);
    }

    @Implementation
    protected boolean bindService(Intent intent, int flags, Executor executor, ServiceConnection connection) {
        return Services.get().bind(intent, connection);
    }

    @Implementation
    protected void unbindService(ServiceConnection connection) {
        Services.get().unbind(connection);
    }

    @Implementation
    protected ClassLoader getClassLoader() {
        return AppProcess.current().loader;
    }
}
