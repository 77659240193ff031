package siamang.conformance;

import android.os.Bundle;

/** Lies over the page below, which stays visible. */
public final class FloatingPage extends Page {
    @Override
    void fill(Bundle saved) {
        say("floating");
        on("log", new Act() {
            @Override
            public void go() {
                say(App.LOG.toString());
            }
        });
    }
}
