package siamang.agent.device;

import android.app.ActivityManagerNative;
import android.app.IActivityManager;
import android.content.pm.UserInfo;
import android.os.IBinder;
import android.os.RemoteException;
import android.os.ServiceManager;
import siamang.agent.core.AgentException;
import siamang.agent.core.Log;

/** System services by their binder: the shell has no Context, and needs none for these. */
final class Services {
    /** The package under which the shell calls; the system checks that it belongs to our uid. */
    static final String SHELL = "com.android.shell";

    private Services() {
    }

    static IBinder binder(String name) throws AgentException {
        IBinder binder = ServiceManager.getService(name);
        if (binder == null) {
            throw new AgentException(AgentException.UNSUPPORTED, "this device has no service " + name);
        }
        return binder;
    }

    /** The user whose screen we see; 0 where the system will not say. */
    static int user() {
        return user(ActivityManagerNative.getDefault());
    }

    static int user(IActivityManager manager) {
        try {
            UserInfo user = manager.getCurrentUser();
            return user == null ? 0 : user.id;
        } catch (RemoteException | RuntimeException e) {
            Log.note("assuming user 0", e);
        }
        return 0;
    }
}
