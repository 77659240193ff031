package siamang.conformance;

import android.content.Intent;
import android.os.Bundle;

/** Is there once in its task. */
public final class SingleTaskPage extends Page {
    private int heard;

    @Override
    void fill(Bundle saved) {
        say("SingleTask heard " + heard);
        opens("myself", SingleTaskPage.class, 0);
        opens("task", TaskPage.class, 0);
    }

    @Override
    protected void onNewIntent(Intent intent) {
        super.onNewIntent(intent);
        heard++;
        say("SingleTask heard " + heard);
    }
}
