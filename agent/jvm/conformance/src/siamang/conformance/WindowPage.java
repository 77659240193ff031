package siamang.conformance;

import android.app.AlertDialog;
import android.app.DatePickerDialog;
import android.app.ProgressDialog;
import android.app.TimePickerDialog;
import android.content.Context;
import android.content.DialogInterface;
import android.os.Bundle;
import android.text.InputType;
import android.view.ContextMenu;
import android.view.Gravity;
import android.view.Menu;
import android.view.MenuItem;
import android.view.View;
import android.view.inputmethod.InputMethodManager;
import android.widget.AdapterView;
import android.widget.ArrayAdapter;
import android.widget.AutoCompleteTextView;
import android.widget.EditText;
import android.widget.PopupMenu;
import android.widget.PopupWindow;
import android.widget.Spinner;
import android.widget.TextView;
import android.widget.Toast;

/** Everything that lies over a page. */
public final class WindowPage extends Page {
    @Override
    void fill(Bundle saved) {
        say("windows");
        on("dialog", new Act() {
            @Override
            public void go() {
                new AlertDialog.Builder(WindowPage.this).setTitle("title").setMessage("really?").setPositiveButton("yes", new Says("said yes"))
                        .setNegativeButton("no", new Says("said no")).setOnCancelListener(new DialogInterface.OnCancelListener() {
                            @Override
                            public void onCancel(DialogInterface dialog) {
                                say("cancelled");
                            }
                        }).show();
            }
        });
        on("dialog of items", new Act() {
            @Override
            public void go() {
                new AlertDialog.Builder(WindowPage.this).setItems(new String[] {"item a", "item b"}, new DialogInterface.OnClickListener() {
                    @Override
                    public void onClick(DialogInterface dialog, int which) {
                        say("item " + which);
                    }
                }).show();
            }
        });
        on("popup menu", new Act() {
            @Override
            public void go() {
                PopupMenu menu = new PopupMenu(WindowPage.this, list.getChildAt(3));
                menu.getMenu().add("popped");
                menu.setOnMenuItemClickListener(new PopupMenu.OnMenuItemClickListener() {
                    @Override
                    public boolean onMenuItemClick(MenuItem item) {
                        say("chose " + item.getTitle());
                        return true;
                    }
                });
                menu.show();
            }
        });
        on("popup window", new Act() {
            @Override
            public void go() {
                TextView text = new TextView(WindowPage.this);
                text.setText("in a popup");
                PopupWindow popup = new PopupWindow(text, 300, 100, true);
                popup.showAsDropDown(list.getChildAt(4));
            }
        });
        on("toast", new Act() {
            @Override
            public void go() {
                Toast.makeText(WindowPage.this, "hello", Toast.LENGTH_SHORT).show();
                say("toasted");
            }
        });
        on("toasts", new Act() {
            @Override
            public void go() {
                Toast.makeText(WindowPage.this, "first toast", Toast.LENGTH_LONG).show();
                Toast second = new Toast(WindowPage.this);
                TextView text = new TextView(WindowPage.this);
                text.setText("second toast");
                second.setView(text);
                second.show();
            }
        });
        on("date", new Act() {
            @Override
            public void go() {
                new DatePickerDialog(WindowPage.this, null, 2020, 1, 29).show();
            }
        });
        on("progress", new Act() {
            @Override
            public void go() {
                ProgressDialog.show(WindowPage.this, "progress", "wait", true, true);
            }
        });
        Spinner spinner = new Spinner(this);
        spinner.setAdapter(new ArrayAdapter<String>(this, android.R.layout.simple_spinner_item, new String[] {"red", "green", "blue"}));
        spinner.setOnItemSelectedListener(new AdapterView.OnItemSelectedListener() {
            @Override
            public void onItemSelected(AdapterView<?> parent, View view, int position, long id) {
                if (position > 0) {
                    say("selected " + position);
                }
            }

            @Override
            public void onNothingSelected(AdapterView<?> parent) {
                say("nothing");
            }
        });
        list.addView(spinner);
        final EditText field = new EditText(this);
        field.setHint("a number");
        field.setInputType(InputType.TYPE_CLASS_NUMBER);
        list.addView(field);
        on("keyboard", new Act() {
            @Override
            public void go() {
                field.requestFocus();
                boolean shown = ((InputMethodManager) getSystemService(Context.INPUT_METHOD_SERVICE)).showSoftInput(field, 0);
                say("keyboard " + shown + " field " + field.getText());
            }
        });
        TextView pressed = new TextView(this);
        pressed.setText("press long");
        registerForContextMenu(pressed);
        list.addView(pressed);
        on("error", new Act() {
            @Override
            public void go() {
                field.requestFocus();
                field.setError("no number");
            }
        });
        Spinner chosen = new Spinner(this, Spinner.MODE_DIALOG);
        chosen.setPrompt("choose one");
        chosen.setAdapter(new ArrayAdapter<String>(this, android.R.layout.simple_spinner_item, new String[] {"cyan", "magenta"}));
        list.addView(chosen);
        AutoCompleteTextView completed = new AutoCompleteTextView(this);
        completed.setHint("a fruit");
        completed.setThreshold(1);
        completed.setAdapter(new ArrayAdapter<String>(this, android.R.layout.simple_list_item_1, new String[] {"apple", "apricot", "pear"}));
        list.addView(completed);
        on("time", new Act() {
            @Override
            public void go() {
                new TimePickerDialog(WindowPage.this, null, 13, 45, true).show();
            }
        });
        on("dialog of choices", new Act() {
            @Override
            public void go() {
                new AlertDialog.Builder(WindowPage.this).setTitle("several").setPositiveButton("done", null)
                        .setMultiChoiceItems(new String[] {"choice a", "choice b"}, new boolean[] {true, false}, null).show();
            }
        });
        on("toast of two lines", new Act() {
            @Override
            public void go() {
                Toast toast = Toast.makeText(WindowPage.this, "first line\nsecond line", Toast.LENGTH_LONG);
                toast.setGravity(Gravity.TOP | Gravity.LEFT, 10, 20);
                toast.show();
            }
        });
    }

    private final class Says implements DialogInterface.OnClickListener {
        private final String text;

        Says(String text) {
            this.text = text;
        }

        @Override
        public void onClick(DialogInterface dialog, int which) {
            say(text);
        }
    }

    @Override
    public boolean onCreateOptionsMenu(Menu menu) {
        menu.add("from the menu");
        menu.addSubMenu("more").add("from below");
        return true;
    }

    @Override
    public boolean onOptionsItemSelected(MenuItem item) {
        say("chose " + item.getTitle());
        return true;
    }

    @Override
    public void onCreateContextMenu(ContextMenu menu, View view, ContextMenu.ContextMenuInfo info) {
        menu.add("from the context");
    }

    @Override
    public boolean onContextItemSelected(MenuItem item) {
        say("chose " + item.getTitle());
        return true;
    }
}
