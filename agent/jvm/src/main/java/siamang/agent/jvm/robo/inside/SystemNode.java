package siamang.agent.jvm.robo.inside;

import siamang.agent.core.Node;

/** All there is of a window that is the phone's and not the app's: the home screen, which is shown when the app is not, and the keyboard. */
final class SystemNode implements Node {
    static final String HOME = "siamang.home";
    private static final String KEYBOARD = "com.android.inputmethod.latin";

    private final String pkg;
    private final String type;
    private final String description;
    private final int[] bounds;

    private SystemNode(String pkg, String type, String description, int[] bounds) {
        this.pkg = pkg;
        this.type = type;
        this.description = description;
        this.bounds = bounds;
    }

    static SystemNode home(int[] bounds) {
        return new SystemNode(HOME, "android.widget.FrameLayout", "Home", bounds);
    }

    static SystemNode keyboard(int[] bounds) {
        return new SystemNode(KEYBOARD, "android.inputmethodservice.KeyboardView", null, bounds);
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
        return null;
    }

    @Override
    public CharSequence text() {
        return null;
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
        return ENABLED | VISIBLE | IMPORTANT;
    }

    @Override
    public int actions() {
        return 0;
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
        return 0;
    }

    @Override
    public Node child(int index) {
        return null;
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
