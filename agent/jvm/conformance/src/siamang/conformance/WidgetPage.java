package siamang.conformance;

import android.content.Context;
import android.graphics.Canvas;
import android.graphics.Rect;
import android.os.Bundle;
import android.text.InputType;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeProvider;
import android.widget.ArrayAdapter;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.HorizontalScrollView;
import android.widget.ImageButton;
import android.widget.LinearLayout;
import android.widget.ListView;
import android.widget.ProgressBar;
import android.widget.RadioButton;
import android.widget.RadioGroup;
import android.widget.RatingBar;
import android.widget.SeekBar;
import android.widget.Switch;
import android.widget.TextView;
import android.widget.ToggleButton;

/** A widget of each sort, for whoever reads the tree. */
public final class WidgetPage extends Page {
    @Override
    void fill(Bundle saved) {
        say("widgets");
        CheckBox box = new CheckBox(this);
        box.setText("box");
        box.setChecked(true);
        list.addView(box);
        Switch lever = new Switch(this);
        lever.setText("lever");
        list.addView(lever);
        ToggleButton toggle = new ToggleButton(this);
        list.addView(toggle);
        RadioGroup group = new RadioGroup(this);
        for (String text : new String[] {"one", "two"}) {
            RadioButton radio = new RadioButton(this);
            radio.setText(text);
            group.addView(radio);
        }
        list.addView(group);
        list.addView(new SeekBar(this));
        list.addView(new RatingBar(this), new LinearLayout.LayoutParams(LinearLayout.LayoutParams.WRAP_CONTENT, LinearLayout.LayoutParams.WRAP_CONTENT));
        list.addView(new ProgressBar(this, null, android.R.attr.progressBarStyleHorizontal));
        EditText password = new EditText(this);
        password.setHint("password");
        password.setText("secret");
        password.setInputType(InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD);
        list.addView(password);
        EditText wrong = new EditText(this);
        wrong.setHint("only a hint");
        wrong.setId(android.R.id.edit);
        list.addView(wrong);
        ImageButton image = new ImageButton(this);
        image.setContentDescription("a picture");
        image.setImageResource(android.R.drawable.ic_delete);
        list.addView(image);
        TextView disabled = new TextView(this);
        disabled.setText("disabled");
        disabled.setEnabled(false);
        disabled.setClickable(true);
        list.addView(disabled);
        TextView hidden = new TextView(this);
        hidden.setText("not to be seen");
        hidden.setVisibility(View.INVISIBLE);
        list.addView(hidden);
        TextView unimportant = new TextView(this);
        unimportant.setText("not important");
        unimportant.setImportantForAccessibility(View.IMPORTANT_FOR_ACCESSIBILITY_NO);
        list.addView(unimportant);
        HorizontalScrollView wide = new HorizontalScrollView(this);
        LinearLayout row = new LinearLayout(this);
        for (int i = 0; i < 12; i++) {
            TextView cell = new TextView(this);
            cell.setText("wide cell " + i);
            row.addView(cell, new LinearLayout.LayoutParams(200, 48));
        }
        wide.addView(row);
        list.addView(wide);
        list.addView(new Board(this), new LinearLayout.LayoutParams(LinearLayout.LayoutParams.MATCH_PARENT, 60));
        String[] rows = new String[30];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = "row " + i;
        }
        ListView rowsView = new ListView(this);
        rowsView.setAdapter(new ArrayAdapter<String>(this, android.R.layout.simple_list_item_1, rows));
        list.addView(rowsView, new LinearLayout.LayoutParams(LinearLayout.LayoutParams.MATCH_PARENT, 300));
    }

    /** Draws two halves that are no views, and describes them. */
    private static final class Board extends View {
        Board(Context context) {
            super(context);
        }

        @Override
        protected void onDraw(Canvas canvas) {
            canvas.drawColor(0xff00ff00);
        }

        @Override
        public AccessibilityNodeProvider getAccessibilityNodeProvider() {
            return new AccessibilityNodeProvider() {
                @Override
                public AccessibilityNodeInfo createAccessibilityNodeInfo(int id) {
                    return describe(id);
                }
            };
        }

        private AccessibilityNodeInfo describe(int id) {
            if (id == View.NO_ID) {
                AccessibilityNodeInfo board = AccessibilityNodeInfo.obtain(this);
                onInitializeAccessibilityNodeInfo(board);
                board.addChild(this, 0);
                board.addChild(this, 1);
                return board;
            }
            AccessibilityNodeInfo half = AccessibilityNodeInfo.obtain(this, id);
            half.setPackageName(getContext().getPackageName());
            half.setClassName("siamang.conformance.Half");
            half.setText("half " + id);
            half.setParent(this);
            half.setEnabled(true);
            half.setVisibleToUser(true);
            half.setClickable(true);
            half.addAction(AccessibilityNodeInfo.ACTION_CLICK);
            int[] at = new int[2];
            getLocationOnScreen(at);
            int middle = at[0] + getWidth() / 2;
            half.setBoundsInScreen(id == 0 ? new Rect(at[0], at[1], middle, at[1] + getHeight())
                    : new Rect(middle, at[1], at[0] + getWidth(), at[1] + getHeight()));
            return half;
        }
    }
}
