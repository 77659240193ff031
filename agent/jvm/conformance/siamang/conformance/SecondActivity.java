package siamang.conformance;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.widget.Button;

/** Is asked and answers. */
public final class SecondActivity extends Activity {
    @Override
    protected void onCreate(Bundle saved) {
        super.onCreate(saved);
        Button button = new Button(this);
        button.setAllCaps(false);
        button.setText("answer the " + getIntent().getStringExtra("asked"));
        button.setOnClickListener(view -> {
            setResult(RESULT_OK, new Intent().putExtra("answer", "answered"));
            finish();
        });
        setContentView(button);
    }
}
