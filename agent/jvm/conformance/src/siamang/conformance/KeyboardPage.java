package siamang.conformance;

import android.app.AlertDialog;
import android.content.Context;
import android.os.Bundle;
import android.view.KeyEvent;
import android.view.WindowManager;
import android.view.inputmethod.InputMethodManager;
import android.widget.EditText;

/** When the soft keyboard comes and goes, and what it leaves to the page. */
public final class KeyboardPage extends Page {
    @Override
    void fill(Bundle saved) {
        final EditText words = new EditText(this);
        add(words, "words", 1);
        final EditText stubborn = new EditText(this) {
            @Override
            public boolean onKeyPreIme(int code, KeyEvent event) {
                if (code == KeyEvent.KEYCODE_BACK && event.getAction() == KeyEvent.ACTION_UP) {
                    say("took BACK");
                }
                return code == KeyEvent.KEYCODE_BACK;
            }
        };
        add(stubborn, "stubborn", 2);
        on("ask", new Act() {
            @Override
            public void go() {
                say("asked " + keyboard().showSoftInput(words, 0));
            }
        });
        on("hide", new Act() {
            @Override
            public void go() {
                say("hidden " + keyboard().hideSoftInputFromWindow(words.getWindowToken(), 0));
            }
        });
        on("toggle", new Act() {
            @Override
            public void go() {
                keyboard().toggleSoftInput(0, 0);
            }
        });
        on("dialog", new Act() {
            @Override
            public void go() {
                EditText name = new EditText(KeyboardPage.this);
                name.setHint("name");
                AlertDialog dialog = new AlertDialog.Builder(KeyboardPage.this).setView(name).setPositiveButton("fine", null).create();
                dialog.getWindow().setSoftInputMode(WindowManager.LayoutParams.SOFT_INPUT_STATE_ALWAYS_VISIBLE);
                dialog.show();
                name.requestFocus();
            }
        });
    }

    private void add(EditText field, String hint, int id) {
        field.setHint(hint);
        // With a number the field keeps the focus and its text over a rotation.
        field.setId(id);
        list.addView(field);
    }

    private InputMethodManager keyboard() {
        return (InputMethodManager) getSystemService(Context.INPUT_METHOD_SERVICE);
    }
}
