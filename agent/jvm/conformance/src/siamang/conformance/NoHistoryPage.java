package siamang.conformance;

import android.content.Intent;
import android.os.Bundle;

/** Is gone when it is left. */
public final class NoHistoryPage extends Page {
    private int heard;

    @Override
    void fill(Bundle saved) {
        say("NoHistory heard " + heard);
        opens("myself", NoHistoryPage.class, 0);
        opens("task", TaskPage.class, 0);
        opens("floating", FloatingPage.class, 0);
    }

    @Override
    protected void onNewIntent(Intent intent) {
        super.onNewIntent(intent);
        heard++;
        say("NoHistory heard " + heard);
    }
}
