package siamang.agent.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A node that a test fills by hand. */
class FakeNode implements Node {
    String cls = "android.view.View";
    String pkg = "com.example.notes";
    String id;
    String text;
    String description;
    String hint;
    String state;
    String pane;
    String tooltip;
    String unique;
    int[] bounds = {0, 0, 1080, 1920};
    int flags = ENABLED | VISIBLE | IMPORTANT;
    int actions;
    Action[] more;
    int inputType;
    int maxLength = -1;
    int[] collection;
    int[] item;
    int order;
    /** What the node does to a text that is set; null refuses. */
    boolean takesSetText = true;
    boolean gone;
    int recycled;
    final List<FakeNode> children = new ArrayList<FakeNode>();
    final List<String> performed = new ArrayList<String>();

    static FakeNode of(String cls, int left, int top, int right, int bottom) {
        FakeNode node = new FakeNode();
        node.cls = cls;
        node.bounds = new int[] {left, top, right, bottom};
        return node;
    }

    FakeNode with(FakeNode... more) {
        children.addAll(Arrays.asList(more));
        return this;
    }

    @Override
    public CharSequence className() {
        return cls;
    }

    @Override
    public CharSequence packageName() {
        return pkg;
    }

    @Override
    public CharSequence resourceId() {
        return id;
    }

    @Override
    public CharSequence text() {
        return text;
    }

    @Override
    public CharSequence description() {
        return description;
    }

    @Override
    public CharSequence hint() {
        return hint;
    }

    @Override
    public CharSequence stateDescription() {
        return state;
    }

    @Override
    public CharSequence paneTitle() {
        return pane;
    }

    @Override
    public CharSequence tooltip() {
        return tooltip;
    }

    @Override
    public CharSequence uniqueId() {
        return unique;
    }

    @Override
    public void bounds(int[] into) {
        System.arraycopy(bounds, 0, into, 0, 4);
    }

    @Override
    public int flags() {
        return flags;
    }

    @Override
    public int actions() {
        return actions;
    }

    @Override
    public Action[] moreActions() {
        return more;
    }

    @Override
    public int inputType() {
        return inputType;
    }

    @Override
    public int maxTextLength() {
        return maxLength;
    }

    @Override
    public int[] collection() {
        return collection;
    }

    @Override
    public int[] collectionItem() {
        return item;
    }

    @Override
    public int drawingOrder() {
        return order;
    }

    @Override
    public int childCount() {
        return children.size();
    }

    @Override
    public Node child(int index) {
        return children.get(index);
    }

    @Override
    public boolean perform(int action, Argument[] arguments) {
        StringBuilder line = new StringBuilder(String.valueOf(action));
        for (Argument argument : arguments) {
            line.append(' ').append(argument.key).append('=').append(argument.value);
        }
        performed.add(line.toString());
        if (action == ACTION_SET_TEXT) {
            if (takesSetText) {
                text = (String) arguments[0].value;
            }
            return takesSetText;
        }
        return true;
    }

    @Override
    public boolean refresh() {
        return !gone;
    }

    @Override
    public void recycle() {
        recycled++;
    }
}
