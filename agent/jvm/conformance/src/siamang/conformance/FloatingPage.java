package siamang.conformance;

import android.app.AlertDialog;
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
        on("dialog", new Act() {
            @Override
            public void go() {
                new AlertDialog.Builder(FloatingPage.this).setMessage("over both").show();
            }
        });
    }
}
