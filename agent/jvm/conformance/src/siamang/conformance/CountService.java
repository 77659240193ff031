package siamang.conformance;

import android.app.Service;
import android.content.Intent;
import android.os.Binder;
import android.os.IBinder;

/** Counts its starts; whoever binds it can ask. */
public final class CountService extends Service {
    int started;

    /** The way to the service. */
    final class Door extends Binder {
        CountService service() {
            return CountService.this;
        }
    }

    @Override
    public void onCreate() {
        App.log("Service.create");
    }

    @Override
    public int onStartCommand(Intent intent, int flags, int id) {
        started++;
        App.log("Service.start" + id);
        return START_NOT_STICKY;
    }

    @Override
    public IBinder onBind(Intent intent) {
        return new Door();
    }

    @Override
    public void onDestroy() {
        App.log("Service.destroy");
    }
}
