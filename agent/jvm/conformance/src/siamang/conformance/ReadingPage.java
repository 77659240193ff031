package siamang.conformance;

import android.os.Bundle;
import android.widget.TextView;

/** Shows the last reading, a line for a line: all of it can be more than the longest text that a device reads. */
public final class ReadingPage extends Page {
    @Override
    void fill(Bundle saved) {
        say("read");
        for (String line : Reading.last.split("\n")) {
            TextView text = new TextView(this);
            text.setText(line);
            list.addView(text);
        }
    }
}
