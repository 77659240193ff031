package siamang.conformance;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.KeyEvent;
import android.view.View;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;

/** A page: a line that says how things are, and a button for each thing that can be done. */
abstract class Page extends Activity {
    private TextView state;
    LinearLayout list;

    /** What a button does. */
    interface Act {
        void go() throws Exception;
    }

    @Override
    protected void onCreate(Bundle saved) {
        super.onCreate(saved);
        App.log(name() + (saved == null ? ".create" : ".restore"));
        list = new LinearLayout(this);
        list.setOrientation(LinearLayout.VERTICAL);
        state = new TextView(this);
        list.addView(state);
        fill(saved);
        ScrollView scroll = new ScrollView(this);
        scroll.addView(list);
        setContentView(scroll);
    }

    /** Adds the page's widgets. */
    abstract void fill(Bundle saved);

    final String name() {
        return getClass().getSimpleName().replace("Page", "");
    }

    final void say(String text) {
        state.setText(text);
    }

    final void on(String text, final Act act) {
        Button button = new Button(this);
        button.setAllCaps(false);
        button.setText(text);
        button.setMinHeight(0);
        button.setMinimumHeight(0);
        button.setPadding(0, 0, 0, 0);
        button.setOnClickListener(new View.OnClickListener() {
            @Override
            public void onClick(View view) {
                try {
                    act.go();
                } catch (RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        list.addView(button, new LinearLayout.LayoutParams(LinearLayout.LayoutParams.MATCH_PARENT, 56));
    }

    /** A button that opens a page. */
    final void opens(String text, final Class<? extends Activity> page, final int flags) {
        on(text, new Act() {
            @Override
            public void go() {
                startActivity(new Intent(Page.this, page).setFlags(flags));
            }
        });
    }

    @Override
    public boolean dispatchKeyEvent(KeyEvent event) {
        return Reading.answer(this, event) || super.dispatchKeyEvent(event);
    }

    /** Another window has come, which gets the keys from now on. */
    @Override
    public void onWindowFocusChanged(boolean hasFocus) {
        super.onWindowFocusChanged(hasFocus);
        if (!hasFocus) {
            Reading.listen(this);
        }
    }

    @Override
    protected void onStart() {
        super.onStart();
        App.log(name() + ".start");
    }

    @Override
    protected void onRestart() {
        super.onRestart();
        App.log(name() + ".restart");
    }

    @Override
    protected void onResume() {
        super.onResume();
        App.log(name() + ".resume");
    }

    @Override
    protected void onPause() {
        super.onPause();
        App.log(name() + ".pause");
    }

    @Override
    protected void onStop() {
        super.onStop();
        App.log(name() + ".stop");
    }

    @Override
    protected void onDestroy() {
        super.onDestroy();
        App.log(name() + ".destroy");
    }

    @Override
    protected void onNewIntent(Intent intent) {
        super.onNewIntent(intent);
        App.log(name() + ".newIntent");
    }
}
