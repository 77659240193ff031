package siamang.agent.jvm.robo.inside;

import android.graphics.Rect;
import android.os.Bundle;
import android.text.Editable;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeProvider;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;
import siamang.agent.core.AgentException;
import siamang.agent.core.Node;
import siamang.agent.jvm.robo.shared.HiddenMethod;

/**
 * A view, or a virtual child of one, as its own accessibility code describes it. Read at once on the main thread; only
 * acting and refreshing go back to it.
 */
final class ViewNode implements Node {
    private static final Node[] NONE = {};
    private static final int HOST = AccessibilityNodeProvider.HOST_VIEW_ID;
    private static final HiddenMethod CHILD_ID = new HiddenMethod(AccessibilityNodeInfo.class, "getChildId", int.class);
    private static final HiddenMethod FIND = new HiddenMethod(View.class, "findViewByAccessibilityIdTraversal", int.class);

    private final View view;
    private final int virtualId;
    private AccessibilityNodeInfo info;
    private Node[] children = NONE;

    private ViewNode(View view, int virtualId, AccessibilityNodeInfo info) {
        this.view = view;
        this.virtualId = virtualId;
        this.info = info;
    }

    /** The tree below a view. Deeper than {@code depth} nothing is read. */
    static ViewNode read(View view, int depth) {
        ViewNode node = new ViewNode(view, HOST, view.createAccessibilityNodeInfo());
        if (depth > 1) {
            AccessibilityNodeProvider provider = view.getAccessibilityNodeProvider();
            node.children = provider == null ? views(view, depth - 1) : virtual(view, provider, node.info, depth - 1);
        }
        return node;
    }

    static ViewNode single(View view) {
        return read(view, 1);
    }

    private static Node[] views(View view, int depth) {
        ArrayList<View> list = new ArrayList<>();
        view.addChildrenForAccessibility(list);
        Node[] nodes = list.isEmpty() ? NONE : new Node[list.size()];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = read(list.get(i), depth);
        }
        return nodes;
    }

    private static Node[] virtual(View host, AccessibilityNodeProvider provider, AccessibilityNodeInfo parent, int depth) {
        if (depth == 0) {
            return NONE;
        }
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < parent.getChildCount(); i++) {
            long id = CHILD_ID.call(parent, i);
            int virtualId = (int) (id >> 32);
            if (virtualId == HOST) {
                View child = byAccessibilityId(host, (int) id);
                if (child != null) {
                    nodes.add(read(child, depth));
                }
                continue;
            }
            AccessibilityNodeInfo info = provider.createAccessibilityNodeInfo(virtualId);
            if (info != null) {
                ViewNode node = new ViewNode(host, virtualId, info);
                node.children = virtual(host, provider, info, depth - 1);
                nodes.add(node);
            }
        }
        return nodes.toArray(NONE);
    }

    private static View byAccessibilityId(View host, int id) {
        return FIND.call(host, id);
    }

    @Override
    public CharSequence className() {
        return info.getClassName();
    }

    @Override
    public CharSequence packageName() {
        return info.getPackageName();
    }

    @Override
    public CharSequence resourceId() {
        return info.getViewIdResourceName();
    }

    @Override
    public CharSequence text() {
        return info.isShowingHintText() ? "" : info.getText();
    }

    @Override
    public CharSequence description() {
        return info.getContentDescription();
    }

    @Override
    public CharSequence hint() {
        return info.getHintText();
    }

    @Override
    public CharSequence stateDescription() {
        return info.getStateDescription();
    }

    @Override
    public CharSequence paneTitle() {
        return info.getPaneTitle();
    }

    @Override
    public CharSequence tooltip() {
        return info.getTooltipText();
    }

    @Override
    public CharSequence uniqueId() {
        return info.getUniqueId();
    }

    @Override
    public void bounds(int[] into) {
        Rect rect = new Rect();
        info.getBoundsInScreen(rect);
        into[0] = rect.left;
        into[1] = rect.top;
        into[2] = rect.right;
        into[3] = rect.bottom;
    }

    @Override
    public int flags() {
        int flags = 0;
        flags |= info.isCheckable() ? CHECKABLE : 0;
        flags |= info.isChecked() ? CHECKED : 0;
        flags |= info.isClickable() ? CLICKABLE : 0;
        flags |= info.isLongClickable() ? LONG_CLICKABLE : 0;
        flags |= info.isFocusable() ? FOCUSABLE : 0;
        flags |= info.isFocused() ? FOCUSED : 0;
        flags |= info.isEnabled() ? ENABLED : 0;
        flags |= info.isScrollable() ? SCROLLABLE : 0;
        flags |= info.isPassword() ? PASSWORD : 0;
        flags |= info.isSelected() ? SELECTED : 0;
        flags |= info.isEditable() ? EDITABLE : 0;
        flags |= info.isVisibleToUser() ? VISIBLE : 0;
        flags |= info.isDismissable() ? DISMISSABLE : 0;
        flags |= info.isMultiLine() ? MULTI_LINE : 0;
        flags |= info.isAccessibilityFocused() ? ACCESSIBILITY_FOCUSED : 0;
        flags |= info.isContextClickable() ? CONTEXT_CLICKABLE : 0;
        flags |= info.isImportantForAccessibility() ? IMPORTANT : 0;
        flags |= info.isHeading() ? HEADING : 0;
        flags |= info.isContentInvalid() ? CONTENT_INVALID : 0;
        return flags;
    }

    @Override
    public int actions() {
        int bits = 0;
        for (AccessibilityNodeInfo.AccessibilityAction action : info.getActionList()) {
            int id = action.getId();
            bits |= id > 0 && id < FIRST_RESOURCE_ACTION && Integer.bitCount(id) == 1 ? id : 0;
        }
        return bits;
    }

    @Override
    public Action[] moreActions() {
        List<Action> more = new ArrayList<>();
        for (AccessibilityNodeInfo.AccessibilityAction action : info.getActionList()) {
            if (action.getId() >= FIRST_RESOURCE_ACTION) {
                more.add(new Action(action.getId(), action.getLabel()));
            }
        }
        return more.isEmpty() ? null : more.toArray(new Action[0]);
    }

    @Override
    public int inputType() {
        return info.getInputType();
    }

    @Override
    public int maxTextLength() {
        return info.getMaxTextLength();
    }

    @Override
    public int[] collection() {
        AccessibilityNodeInfo.CollectionInfo collection = info.getCollectionInfo();
        return collection == null ? null : new int[] {collection.getRowCount(), collection.getColumnCount()};
    }

    @Override
    public int[] collectionItem() {
        AccessibilityNodeInfo.CollectionItemInfo item = info.getCollectionItemInfo();
        return item == null ? null : new int[] {item.getRowIndex(), item.getColumnIndex()};
    }

    @Override
    public int drawingOrder() {
        return info.getDrawingOrder();
    }

    @Override
    public int childCount() {
        return children.length;
    }

    @Override
    public Node child(int index) {
        return children[index];
    }

    @Override
    public boolean perform(int action, Argument[] arguments) throws AgentException {
        Bundle bundle = new Bundle();
        for (Argument argument : arguments) {
            if (argument.value instanceof Integer number) {
                bundle.putInt(argument.key, number);
            } else if (argument.value instanceof Boolean flag) {
                bundle.putBoolean(argument.key, flag);
            } else {
                bundle.putCharSequence(argument.key, (CharSequence) argument.value);
            }
        }
        boolean[] done = new boolean[1];
        JvmBackend.get().main.act(() -> done[0] = performHere(action, bundle));
        return done[0];
    }

    private boolean performHere(int action, Bundle arguments) {
        if (!view.isAttachedToWindow()) {
            return false;
        }
        if (virtualId != HOST) {
            return view.getAccessibilityNodeProvider().performAction(virtualId, action, arguments);
        }
        Editable text = view instanceof TextView field ? field.getEditableText() : null;
        if (action == ACTION_SET_TEXT && text != null && view.isEnabled()) {
            // As a keyboard commits it: setting the text would pass by the field's filter and put letters into a number.
            view.requestFocus();
            CharSequence next = arguments.getCharSequence(ARGUMENT_TEXT);
            text.replace(0, text.length(), next == null ? "" : next);
            return true;
        }
        return view.performAccessibilityAction(action, arguments);
    }

    @Override
    public boolean refresh() {
        boolean[] there = new boolean[1];
        try {
            JvmBackend.get().main.act(() -> {
                there[0] = view.isAttachedToWindow();
                AccessibilityNodeInfo next = !there[0] ? null
                        : virtualId == HOST ? view.createAccessibilityNodeInfo() : view.getAccessibilityNodeProvider().createAccessibilityNodeInfo(virtualId);
                info = next == null ? info : next;
            });
        } catch (AgentException e) {
            return false;
        }
        return there[0];
    }

    @Override
    public void recycle() {
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ViewNode node && node.view == view && node.virtualId == virtualId;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(view) * 31 + virtualId;
    }
}
