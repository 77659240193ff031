package siamang.agent.device;

import android.content.Intent;
import android.content.pm.IPackageManager;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ParceledListSlice;
import android.content.pm.ResolveInfo;
import android.os.RemoteException;
import java.util.List;
import siamang.agent.core.AgentException;

/** The package manager. */
final class PackageService {
    private static final int GET_PERMISSIONS = 0x1000;

    private final IPackageManager manager;

    PackageService() throws AgentException {
        manager = IPackageManager.Stub.asInterface(Services.binder("package"));
    }

    /** With the permissions it asks for; null if it is not installed. */
    PackageInfo info(String pkg) throws AgentException {
        Lookup.Found get = Lookups.PACKAGE_INFO.find();
        Object info = get.index == 0
                ? get.call(manager, pkg, (long) GET_PERMISSIONS, Services.user())
                : get.call(manager, pkg, GET_PERMISSIONS, Services.user());
        return (PackageInfo) info;
    }

    /** Whether its user or a manager switched it off; what the manifest says does not count. */
    boolean isEnabled(String pkg) throws AgentException {
        try {
            int setting = manager.getApplicationEnabledSetting(pkg, Services.user());
            return setting == PackageManager.COMPONENT_ENABLED_STATE_DEFAULT || setting == PackageManager.COMPONENT_ENABLED_STATE_ENABLED;
        } catch (RemoteException | RuntimeException e) {
            throw Failures.of("read package facts", e);
        }
    }

    /** The class of the activity that the launcher would start, of a phone or of a television. */
    String launcher(String pkg) throws AgentException {
        String found = launcher(pkg, Intent.CATEGORY_LAUNCHER);
        if (found == null) {
            found = launcher(pkg, Intent.CATEGORY_LEANBACK_LAUNCHER);
        }
        if (found == null) {
            throw new AgentException(AgentException.APP_NOT_FOUND, pkg + " has no activity for the launcher");
        }
        return found;
    }

    private String launcher(String pkg, String category) throws AgentException {
        Intent intent = new Intent(Intent.ACTION_MAIN);
        intent.addCategory(category);
        intent.setPackage(pkg);
        Lookup.Found query = Lookups.QUERY_ACTIVITIES.find();
        Object answer = query.index == 0
                ? query.call(manager, intent, null, 0L, Services.user())
                : query.call(manager, intent, null, 0, Services.user());
        List<?> found = answer instanceof ParceledListSlice ? ((ParceledListSlice<?>) answer).getList() : (List<?>) answer;
        for (Object one : found) {
            if (((ResolveInfo) one).activityInfo != null) {
                return ((ResolveInfo) one).activityInfo.name;
            }
        }
        return null;
    }
}
