package siamang.conformance;

import android.app.Activity;
import android.app.AlertDialog;
import android.content.Context;
import android.content.Intent;
import android.content.SharedPreferences;
import android.os.Bundle;
import android.view.Menu;
import android.view.View;
import android.widget.Button;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.PopupMenu;
import android.widget.ScrollView;
import android.widget.TextView;
import android.widget.Toast;
import java.io.File;
import java.io.FileOutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** One button for each behaviour that a device must have, and for each that it must survive. */
public final class MainActivity extends Activity {
    private static int starts;
    private TextView state;
    private int count;

    @Override
    protected void onCreate(Bundle saved) {
        super.onCreate(saved);
        starts++;
        count = saved == null ? 0 : saved.getInt("count");
        LinearLayout list = new LinearLayout(this);
        list.setOrientation(LinearLayout.VERTICAL);
        state = new TextView(this);
        list.addView(state);
        button(list, "count", view -> count++);
        button(list, "save", view -> store().edit().putInt("kept", store().getInt("kept", 0) + 1).commit());
        button(list, "second", view -> startActivityForResult(new Intent(this, SecondActivity.class).putExtra("asked", "question"), 7));
        button(list, "dialog", view -> new AlertDialog.Builder(this).setMessage("really?").setPositiveButton("yes", (dialog, which) -> count += 10).show());
        button(list, "popup", view -> {
            PopupMenu menu = new PopupMenu(this, view);
            menu.getMenu().add("item").setOnMenuItemClickListener(item -> {
                count += 100;
                show();
                return true;
            });
            menu.show();
        });
        button(list, "toast", view -> Toast.makeText(this, "hello", Toast.LENGTH_SHORT).show());
        button(list, "later", view -> view.postDelayed(() -> {
            count += 1000;
            show();
        }, 80));
        button(list, "thread", view -> new Thread(() -> {
            sleep(50);
            runOnUiThread(() -> {
                count += 10000;
                show();
            });
        }).start());
        button(list, "crash", view -> {
            throw new IllegalStateException("planted");
        });
        button(list, "crash elsewhere", view -> new Thread(() -> {
            throw new IllegalStateException("planted elsewhere");
        }).start());
        button(list, "exit", view -> System.exit(3));
        button(list, "kill", view -> android.os.Process.killProcess(android.os.Process.myPid()));
        button(list, "hang", view -> {
            while (true) {
                count++;
            }
        });
        button(list, "wait for ever", view -> {
            synchronized (this) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        button(list, "heap", view -> {
            List<byte[]> all = new ArrayList<>();
            while (true) {
                all.add(new byte[1 << 20]);
            }
        });
        button(list, "threads", view -> {
            for (int i = 0; i < 10_000; i++) {
                new Thread(() -> sleep(1_000_000)).start();
            }
        });
        button(list, "print", view -> {
            String line = "x".repeat(1 << 16);
            for (int i = 0; i < 1 << 14; i++) {
                System.out.println(line);
                System.err.println(line);
            }
        });
        button(list, "delete", view -> delete(getFilesDir().getParentFile()));
        button(list, "native", view -> System.loadLibrary("nothere"));
        button(list, "escape", view -> state.setText("escaped: " + escapes()));
        EditText field = new EditText(this);
        field.setInputType(android.text.InputType.TYPE_CLASS_NUMBER);
        list.addView(field);
        ScrollView scroll = new ScrollView(this);
        scroll.addView(list);
        setContentView(scroll);
        show();
    }

    private SharedPreferences store() {
        return getSharedPreferences("store", Context.MODE_PRIVATE);
    }

    private void button(LinearLayout list, String text, View.OnClickListener listener) {
        Button button = new Button(this);
        button.setAllCaps(false);
        button.setText(text);
        button.setMinHeight(0);
        button.setMinimumHeight(0);
        button.setPadding(0, 0, 0, 0);
        button.setOnClickListener(view -> {
            listener.onClick(view);
            if (!text.equals("escape")) {
                show();
            }
        });
        list.addView(button, new LinearLayout.LayoutParams(LinearLayout.LayoutParams.MATCH_PARENT, 56));
    }

    private void show() {
        state.setText("starts " + starts + " count " + count + " kept " + store().getInt("kept", 0));
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(File file) {
        File[] below = file.listFiles();
        if (below != null) {
            for (File child : below) {
                delete(child);
            }
        }
        file.delete();
    }

    /** What an app can do to the machine it runs on; nothing, if the fence holds. */
    private static List<String> escapes() {
        List<String> done = new ArrayList<>();
        try (Socket socket = new Socket("1.1.1.1", 80)) {
            done.add("network");
        } catch (Exception e) {
            // As it should be.
        }
        for (String path : new String[] {"/usr/siamang", "/siamang", "/etc/siamang", "/var/siamang"}) {
            try (FileOutputStream out = new FileOutputStream(path)) {
                done.add(path);
            } catch (Exception e) {
                // As it should be.
            }
        }
        for (String path : new String[] {"/root", "/home", "/etc/passwd"}) {
            if (new File(path).exists()) {
                done.add(path);
            }
        }
        try {
            if (new ProcessBuilder("mount", "-t", "tmpfs", "none", "/tmp").start().waitFor() == 0) {
                done.add("mount");
            }
        } catch (Exception e) {
            // As it should be.
        }
        return done;
    }

    @Override
    public boolean onCreateOptionsMenu(Menu menu) {
        menu.add("from the menu").setOnMenuItemClickListener(item -> {
            count += 5;
            show();
            return true;
        });
        return true;
    }

    @Override
    protected void onActivityResult(int request, int result, Intent data) {
        state.setText("result " + request + " " + result + " " + (data == null ? null : data.getStringExtra("answer")));
    }

    @Override
    protected void onSaveInstanceState(Bundle out) {
        super.onSaveInstanceState(out);
        out.putInt("count", count);
    }
}
