package siamang.agent.jvm.robo.inside;

import siamang.agent.core.Node;

/** All there is of the home screen, which is shown when the app is not. */
final class HomeNode implements Node {
    static final String PACKAGE = "siamang.home";

    private final int width;
    private final int height;

    HomeNode(int width, int height) {
        this.width = width;
        this.height = height;
    }

    @Override
    public CharSequence className() {
        return "android.widget.FrameLayout";
    }

    @Override
    public CharSequence packageName() {
        return PACKAGE;
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
        return "Home";
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
        into[0] = 0;
        into[1] = 0;
        into[2] = width;
        into[3] = height;
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
