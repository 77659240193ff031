package siamang.conformance;

import android.app.Activity;
import android.os.Bundle;
import android.os.Process;

/** A first page that ends its process before it is seen. */
public final class ExitingPage extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
        super.onCreate(saved);
        Process.killProcess(Process.myPid());
    }
}
