package siamang.agent.jvm.robo.inside;

import java.util.List;
import siamang.agent.core.Node;

/** What is in a window that is the phone's and not the app's: the home screen, which is shown when the app is not, the keyboard, and questions. */
final class SystemNode implements Node {
    static final String HOME = "siamang.home";
    private static final String KEYBOARD = "com.android.inputmethod.latin";

    private final String pkg;
    private final String type;
    private final int[] bounds;
    private String id;
    private String text;
    private String description;
    private boolean pressable;
    private List<SystemNode> children = List.of();

    private SystemNode(String pkg, String type, int[] bounds) {
        this.pkg = pkg;
        this.type = type;
        this.bounds = bounds;
    }

    static SystemNode home(int[] bounds) {
        SystemNode home = new SystemNode(HOME, "android.widget.FrameLayout", bounds);
        home.description = "Home";
        return home;
    }

    static SystemNode keyboard(int[] bounds) {
        return new SystemNode(KEYBOARD, "android.inputmethodservice.KeyboardView", bounds);
    }

    static SystemNode box(String pkg, int[] bounds, List<SystemNode> children) {
        SystemNode box = new SystemNode(pkg, "android.widget.LinearLayout", bounds);
        box.children = children;
        return box;
    }

    static SystemNode words(String pkg, String id, String text, int[] bounds) {
        return named(new SystemNode(pkg, "android.widget.TextView", bounds), id, text);
    }

    static SystemNode button(String pkg, String id, String text, int[] bounds) {
        SystemNode button = named(new SystemNode(pkg, "android.widget.Button", bounds), id, text);
        button.pressable = true;
        return button;
    }

    private static SystemNode named(SystemNode node, String id, String text) {
        node.id = node.pkg + ":id/" + id;
        node.text = text;
        return node;
    }

    @Override
    public CharSequence className() {
        return type;
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
        return null;
    }

    @Override
    public CharSequence stateDescription() {
        return null;
    }

    @Override
    public CharSequence paneTitle() {
        return null;
    }

    @Override
    public CharSequence tooltip() {
        return null;
    }

    @Override
    public CharSequence uniqueId() {
        return null;
    }

    @Override
    public void bounds(int[] into) {
        System.arraycopy(bounds, 0, into, 0, bounds.length);
    }

    @Override
    public int flags() {
        return ENABLED | VISIBLE | IMPORTANT | (pressable ? CLICKABLE | FOCUSABLE : 0);
    }

    @Override
    public int actions() {
        return pressable ? ACTION_CLICK : 0;
    }

    @Override
    public Action[] moreActions() {
        return null;
    }

    @Override
    public int inputType() {
        return 0;
    }

    @Override
    public int maxTextLength() {
        return -1;
    }

    @Override
    public int[] collection() {
        return null;
    }

    @Override
    public int[] collectionItem() {
        return null;
    }

    @Override
    public int drawingOrder() {
        return 0;
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
        return false;
    }

    @Override
    public boolean refresh() {
        return true;
    }

    @Override
    public void recycle() {
    }
}
