package siamang.conformance;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Declared in the manifest. */
public final class CountReceiver extends BroadcastReceiver {
    @Override
    public void onReceive(Context context, Intent intent) {
        App.log("Receiver." + intent.getStringExtra("from"));
    }
}
