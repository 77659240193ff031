package siamang.conformance;

import android.os.Bundle;

/** Shows the last reading. */
public final class ReadingPage extends Page {
    @Override
    void fill(Bundle saved) {
        say(Reading.last);
    }
}
