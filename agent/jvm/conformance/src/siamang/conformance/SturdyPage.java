package siamang.conformance;

import android.content.res.Configuration;
import android.os.Bundle;

/** Handles a rotation itself. */
public final class SturdyPage extends Page {
    private static int made;

    @Override
    void fill(Bundle saved) {
        made++;
        say("sturdy made " + made);
    }

    @Override
    public void onConfigurationChanged(Configuration now) {
        super.onConfigurationChanged(now);
        say("sturdy made " + made + " turned " + (now.orientation == Configuration.ORIENTATION_LANDSCAPE));
    }
}
