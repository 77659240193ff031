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
        on("back to who asked", new Act() {
            @Override
            public void go() {
                setResult(RESULT_OK, new Intent().putExtra("answer", "never heard"));
                startActivity(new Intent(AnswerPage.this, TaskPage.class).setFlags(Intent.FLAG_ACTIVITY_CLEAR_TOP | Intent.FLAG_ACTIVITY_SINGLE_TOP));
            }
        });
    }
}
