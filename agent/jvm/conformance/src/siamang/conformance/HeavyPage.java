package siamang.conformance;

import android.os.Bundle;
import android.widget.EditText;

/** Takes memory for as long as it is there: an app could not have many of it at once. */
public final class HeavyPage extends Page {
    private static final int BYTES = 24 << 20;

    private static int shown;

    private byte[] load;

    @Override
    void fill(Bundle saved) {
        load = new byte[BYTES];
        shown++;
        say("shown " + shown + " with " + load.length);
        EditText field = new EditText(this);
        field.setHint("words");
        list.addView(field);
    }
}
