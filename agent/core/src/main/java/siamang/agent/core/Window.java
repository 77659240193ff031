package siamang.agent.core;

/** One window, with the root of what it shows. */
public final class Window {
    public static final int ACTIVE = 1;
    public static final int FOCUSED = 2;
    public static final int PICTURE_IN_PICTURE = 4;

    public static final int APPLICATION = 1;
    public static final int INPUT_METHOD = 2;
    public static final int SYSTEM = 3;

    public final int id;
    public final int type;
    public final int layer;
    public final int flags;
    public final int display;
    /** Left, top, right, bottom. */
    public final int[] bounds;
    public final CharSequence title;
    /** Null if the window gave none. */
    public final Node root;

    public Window(int id, int type, int layer, int flags, int display, int[] bounds, CharSequence title, Node root) {
        this.id = id;
        this.type = type;
        this.layer = layer;
        this.flags = flags;
        this.display = display;
        this.bounds = bounds;
        this.title = title;
        this.root = root;
    }
}
