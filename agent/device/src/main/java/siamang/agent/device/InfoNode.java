package siamang.agent.device;

import android.graphics.Rect;
import android.os.Build;
import android.os.Bundle;
import android.view.accessibility.AccessibilityNodeInfo;
import java.util.List;
import siamang.agent.core.Log;
import siamang.agent.core.Node;

/** A node of the accessibility tree. */
final class InfoNode implements Node {
    private static final int SDK = Build.VERSION.SDK_INT;

    private final AccessibilityNodeInfo info;
    private final Rect rect = new Rect();

    InfoNode(AccessibilityNodeInfo info) {
        this.info = info;
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
        if (SDK >= Since26.LEVEL && Since26.showsHint(info)) {
            return "";
        }
        return info.getText();
    }

    @Override
    public CharSequence description() {
        return info.getContentDescription();
    }

    @Override
    public CharSequence hint() {
        return SDK >= Since26.LEVEL ? Since26.hint(info) : null;
    }

    @Override
    public CharSequence stateDescription() {
        return SDK >= Since30.LEVEL ? Since30.stateDescription(info) : null;
    }

    @Override
    public CharSequence paneTitle() {
        return SDK >= Since28.LEVEL ? Since28.paneTitle(info) : null;
    }

    @Override
    public CharSequence tooltip() {
        return SDK >= Since28.LEVEL ? Since28.tooltip(info) : null;
    }

    @Override
    public CharSequence uniqueId() {
        return SDK >= Since33.LEVEL ? Since33.uniqueId(info) : null;
    }

    @Override
    public void bounds(int[] into) {
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
        flags |= SDK >= Since23.LEVEL && Since23.isContextClickable(info) ? CONTEXT_CLICKABLE : 0;
        // Before 24 nobody can say; the tree then holds important views only, unless CONFIG asked for all.
        flags |= SDK < Since24.LEVEL || Since24.isImportant(info) ? IMPORTANT : 0;
        flags |= SDK >= Since28.LEVEL && Since28.isHeading(info) ? HEADING : 0;
        flags |= info.isContentInvalid() ? CONTENT_INVALID : 0;
        return flags;
    }

    @Override
    public int actions() {
        int bits = 0;
        for (AccessibilityNodeInfo.AccessibilityAction action : info.getActionList()) {
            int id = action.getId();
            // Each of the old ids is one bit; anything else below the limit would be read as several actions.
            bits |= id > 0 && id < FIRST_RESOURCE_ACTION && Integer.bitCount(id) == 1 ? id : 0;
        }
        return bits;
    }

    @Override
    public Action[] moreActions() {
        List<AccessibilityNodeInfo.AccessibilityAction> list = info.getActionList();
        int count = 0;
        for (AccessibilityNodeInfo.AccessibilityAction action : list) {
            count += action.getId() >= FIRST_RESOURCE_ACTION ? 1 : 0;
        }
        if (count == 0) {
            return null;
        }
        Action[] more = new Action[count];
        for (AccessibilityNodeInfo.AccessibilityAction action : list) {
            if (action.getId() >= FIRST_RESOURCE_ACTION) {
                more[more.length - count--] = new Action(action.getId(), action.getLabel());
            }
        }
        return more;
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
        return SDK >= Since24.LEVEL ? Since24.drawingOrder(info) : 0;
    }

    @Override
    public int childCount() {
        return info.getChildCount();
    }

    @Override
    public Node child(int index) {
        Patience patience = new Patience();
        AccessibilityNodeInfo child = info.getChild(index);
        if (child == null) {
            patience.nothing("for a child");
            return null;
        }
        return new InfoNode(child);
    }

    @Override
    public boolean perform(int action, Argument[] arguments) {
        Bundle bundle = new Bundle();
        for (Argument argument : arguments) {
            if (argument.value instanceof Integer) {
                bundle.putInt(argument.key, (Integer) argument.value);
            } else if (argument.value instanceof Boolean) {
                bundle.putBoolean(argument.key, (Boolean) argument.value);
            } else {
                bundle.putCharSequence(argument.key, (CharSequence) argument.value);
            }
        }
        Patience patience = new Patience();
        if (!info.performAction(action, bundle)) {
            patience.nothing("for action " + action);
            return false;
        }
        return true;
    }

    @Override
    public boolean refresh() {
        Patience patience = new Patience();
        if (!info.refresh()) {
            patience.nothing("for a node again");
            return false;
        }
        return true;
    }

    /** From 33 on the platform's pool is gone and this does nothing. */
    @Override
    @SuppressWarnings("deprecation")
    public void recycle() {
        try {
            info.recycle();
        } catch (IllegalStateException e) {
            Log.note("a node was recycled twice");
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof InfoNode && info.equals(((InfoNode) other).info);
    }

    @Override
    public int hashCode() {
        return info.hashCode();
    }
}
