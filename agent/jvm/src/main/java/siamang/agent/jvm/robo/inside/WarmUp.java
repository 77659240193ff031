package siamang.agent.jvm.robo.inside;

import android.R;
import android.app.Activity;
import android.app.AlertDialog;
import android.os.SystemClock;
import android.view.MotionEvent;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.Button;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.ImageView;
import android.widget.LinearLayout;
import android.widget.ListView;
import android.widget.ScrollView;
import android.widget.Spinner;
import android.widget.TextView;
import android.widget.Toast;
import org.robolectric.Robolectric;

/**
 * A life without the app: an activity with the usual widgets is shown, touched and ended, so that the framework's classes
 * are loaded and compiled when the app comes. Nothing of the app runs in it.
 */
final class WarmUp {
    private static final int SETTLE_MS = 300;
    private static final int ROUNDS = 2;

    private WarmUp() {
    }

    static void run(JvmBackend device) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            Activity activity = Robolectric.buildActivity(Activity.class).setup().get();
            activity.setContentView(content(activity));
            device.loop.run(SETTLE_MS);
            View root = activity.getWindow().getDecorView();
            ViewNode.read(root, 64);
            touch(root, device);
            AlertDialog dialog = new AlertDialog.Builder(activity).setTitle("title").setMessage("message").setPositiveButton("yes", null).show();
            Toast.makeText(activity, "toast", Toast.LENGTH_SHORT).show();
            device.loop.run(SETTLE_MS);
            dialog.dismiss();
            device.loop.run(SETTLE_MS);
            activity.finish();
        }
    }

    private static View content(Activity activity) {
        LinearLayout column = new LinearLayout(activity);
        column.setOrientation(LinearLayout.VERTICAL);
        TextView text = new TextView(activity);
        text.setText("text");
        Button button = new Button(activity);
        button.setText("button");
        EditText field = new EditText(activity);
        field.setText("field");
        CheckBox box = new CheckBox(activity);
        ImageView image = new ImageView(activity);
        image.setImageResource(R.drawable.ic_menu_add);
        Spinner spinner = new Spinner(activity);
        ListView list = new ListView(activity);
        String[] items = {"one", "two", "three"};
        spinner.setAdapter(new ArrayAdapter<>(activity, R.layout.simple_spinner_item, items));
        list.setAdapter(new ArrayAdapter<>(activity, R.layout.simple_list_item_1, items));
        ScrollView scroll = new ScrollView(activity);
        scroll.addView(text);
        for (View view : new View[] {scroll, button, field, box, image, spinner, list}) {
            column.addView(view);
        }
        return column;
    }

    private static void touch(View root, JvmBackend device) throws InterruptedException {
        long now = SystemClock.uptimeMillis();
        for (int action : new int[] {MotionEvent.ACTION_DOWN, MotionEvent.ACTION_UP}) {
            MotionEvent event = MotionEvent.obtain(now, now, action, 100, 200, 0);
            root.dispatchTouchEvent(event);
            event.recycle();
        }
        device.loop.run(SETTLE_MS);
    }
}
