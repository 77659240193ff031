package siamang.agent.jvm.robo.inside;

import android.app.Service;
import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.content.pm.ServiceInfo;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ServiceController;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowService;

/** Starts, binds and ends the app's own services, on its main looper. */
final class Services {
    private static Services instance = new Services();

    private final Map<String, Record> live = new LinkedHashMap<>();

    private static final class Record {
        ServiceController<? extends Service> controller;
        boolean started;
        int startId;
        boolean bound;
        Intent boundBy;
        IBinder binder;
        final Set<ServiceConnection> connections = new LinkedHashSet<>();
    }

    static Services get() {
        return instance;
    }

    static void forget() {
        instance = new Services();
    }

    ComponentName start(Intent asked) {
        Intent intent = new Intent(asked);
        ServiceInfo info = resolve(intent);
        if (info == null) {
            return null;
        }
        post(() -> {
            Record record = ensure(info, intent);
            record.started = true;
            record.controller.get().onStartCommand(intent, 0, ++record.startId);
        });
        return new ComponentName(info.packageName, info.name);
    }

    boolean stop(Intent intent) {
        ServiceInfo info = resolve(intent);
        Record record = info == null ? null : live.get(info.name);
        if (record == null) {
            return false;
        }
        record.started = false;
        post(() -> endIfUnused(info.name));
        return true;
    }

    boolean bind(Intent asked, ServiceConnection connection) {
        Intent intent = new Intent(asked);
        ServiceInfo info = resolve(intent);
        if (info == null) {
            return false;
        }
        post(() -> {
            Record record = ensure(info, intent);
            if (!record.bound) {
                record.bound = true;
                record.boundBy = intent;
                record.binder = record.controller.get().onBind(intent);
            }
            record.connections.add(connection);
            if (record.binder != null) {
                connection.onServiceConnected(new ComponentName(info.packageName, info.name), record.binder);
            }
        });
        return true;
    }

    void unbind(ServiceConnection connection) {
        post(() -> {
            for (String name : new ArrayList<>(live.keySet())) {
                Record record = live.get(name);
                if (record.connections.remove(connection) && record.connections.isEmpty()) {
                    record.controller.get().onUnbind(record.boundBy);
                    record.bound = false;
                    endIfUnused(name);
                }
            }
        });
    }

    /** Robolectric only notes that a service stopped itself; here it takes effect. */
    void reconcile() {
        for (String name : new ArrayList<>(live.keySet())) {
            Record record = live.get(name);
            if (record.controller != null && ((ShadowService) Shadow.extract(record.controller.get())).isStoppedBySelf()) {
                record.started = false;
                endIfUnused(name);
            }
        }
    }

    private static void post(Runnable work) {
        new Handler(Looper.getMainLooper()).post(work);
    }

    private static ServiceInfo resolve(Intent intent) {
        PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
        ResolveInfo found = packages.resolveService(intent, 0);
        boolean own = found != null && found.serviceInfo != null
                && found.serviceInfo.packageName.equals(RuntimeEnvironment.getApplication().getPackageName());
        return own ? found.serviceInfo : null;
    }

    private Record ensure(ServiceInfo info, Intent intent) {
        Record known = live.get(info.name);
        if (known != null) {
            return known;
        }
        Record record = new Record();
        try {
            record.controller = Robolectric.buildService(Hooks.forName(info.name).asSubclass(Service.class), intent);
        } catch (ClassNotFoundException e) {
            throw new RuntimeException("Unable to instantiate service " + info.name + ": " + e, e);
        }
        live.put(info.name, record);
        Lifecycle.wrap("Unable to create service " + info.name, record.controller::create);
        return record;
    }

    private void endIfUnused(String name) {
        Record record = live.get(name);
        if (record != null && !record.started && record.connections.isEmpty()) {
            live.remove(name);
            record.controller.destroy();
        }
    }
}
