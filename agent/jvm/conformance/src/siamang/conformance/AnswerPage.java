package siamang.conformance;

import android.content.Intent;
import android.os.Bundle;

/** Is asked and answers. */
public final class AnswerPage extends Page {
    @Override
    void fill(Bundle saved) {
        say("asked " + getIntent().getStringExtra("asked") + " by " + (getCallingActivity() == null ? null : getCallingActivity().getShortClassName()));
        on("answer", new Act() {
            @Override
            public void go() {
                setResult(RESULT_OK, new Intent().putExtra("answer", "answered"));
                finish();
            }
        });
    }
}
