package siamang.conformance;

import android.content.Intent;
import android.os.Bundle;

/** Is there once at the top. */
public final class SingleTopPage extends Page {
    private int heard;

    @Override
    void fill(Bundle saved) {
        say("SingleTop heard " + heard);
        opens("myself", SingleTopPage.class, 0);
        opens("task", TaskPage.class, 0);
    }

    @Override
    protected void onNewIntent(Intent intent) {
        super.onNewIntent(intent);
        heard++;
        say("SingleTop heard " + heard);
    }
}
