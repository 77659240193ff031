package siamang.agent.core;

/**
 * One widget as a backend reads it: an AccessibilityNodeInfo on a phone, a View on a JVM. Values are those of the moment
 * of reading. A null text is an absent attribute; an empty one is present.
 */
public interface Node {
    int CHECKABLE = 1;
    int CHECKED = 1 << 1;
    int CLICKABLE = 1 << 2;
    int LONG_CLICKABLE = 1 << 3;
    int FOCUSABLE = 1 << 4;
    int FOCUSED = 1 << 5;
    int ENABLED = 1 << 6;
    int SCROLLABLE = 1 << 7;
    int PASSWORD = 1 << 8;
    int SELECTED = 1 << 9;
    int EDITABLE = 1 << 10;
    int VISIBLE = 1 << 11;
    int IMPORTANT = 1 << 12;
    int DISMISSABLE = 1 << 13;
    int CONTEXT_CLICKABLE = 1 << 14;
    int MULTI_LINE = 1 << 15;
    int HEADING = 1 << 16;
    int ACCESSIBILITY_FOCUSED = 1 << 17;
    /** Set by the walker, never by a backend. */
    int CHILDREN_CUT = 1 << 18;
    /** The app says that what was entered is wrong. */
    int CONTENT_INVALID = 1 << 19;

    int ACTION_CLICK = 1 << 4;
    int ACTION_SET_TEXT = 1 << 21;
    /** Android's action ids below this are bits; the others are resource ids. */
    int FIRST_RESOURCE_ACTION = 1 << 22;

    String ARGUMENT_TEXT = "ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE";

    CharSequence className();

    CharSequence packageName();

    CharSequence resourceId();

    CharSequence text();

    CharSequence description();

    CharSequence hint();

    CharSequence stateDescription();

    CharSequence paneTitle();

    CharSequence tooltip();

    CharSequence uniqueId();

    /** Writes left, top, right, bottom in screen coordinates. */
    void bounds(int[] into);

    int flags();

    /** Android's action ids below {@link #FIRST_RESOURCE_ACTION}. */
    int actions();

    /** Actions beyond the bitmap, or null. */
    Action[] moreActions();

    int inputType();

    /** -1 if there is none. */
    int maxTextLength();

    /** Rows and columns of a collection, or null. */
    int[] collection();

    /** Row and column of an item in one, or null. */
    int[] collectionItem();

    int drawingOrder();

    int childCount();

    /** May be null: the child can be gone, or the app too busy to answer. */
    Node child(int index);

    boolean perform(int action, Argument[] arguments) throws AgentException;

    /** Reads the values anew; false if the widget is gone. */
    boolean refresh();

    /** Gives the node back to the platform's pool where there is one. */
    void recycle();

    /** An action with a resource id, perhaps with a label of the app's. */
    final class Action {
        public final int id;
        public final CharSequence label;

        public Action(int id, CharSequence label) {
            this.id = id;
            this.label = label;
        }
    }

    /** A named argument; the value is an Integer, a Boolean or a String. */
    final class Argument {
        public final String key;
        public final Object value;

        public Argument(String key, Object value) {
            this.key = key;
            this.value = value;
        }
    }
}
