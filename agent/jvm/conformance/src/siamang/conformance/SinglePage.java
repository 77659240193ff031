package siamang.conformance;

import android.content.Intent;
import android.os.Bundle;

/** Is alone in its task. */
public final class SinglePage extends Page {
    private int heard;

    @Override
    void fill(Bundle saved) {
        say("Single heard " + heard + " root " + isTaskRoot());
        opens("task", TaskPage.class, 0);
    }

    @Override
    protected void onNewIntent(Intent intent) {
        super.onNewIntent(intent);
        heard++;
        say("Single heard " + heard + " root " + isTaskRoot());
    }
}
