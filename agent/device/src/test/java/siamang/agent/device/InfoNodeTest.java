package siamang.agent.device;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import android.graphics.Rect;
import android.view.accessibility.AccessibilityNodeInfo;
import org.junit.Test;
import siamang.agent.core.Node;

/** Over the real AccessibilityNodeInfo of API 34. */
public class InfoNodeTest {
    private final AccessibilityNodeInfo info = new AccessibilityNodeInfo();
    private final InfoNode node = new InfoNode(info);

    @Test
    public void every_flag_is_read_from_its_own_attribute() {
        assertEquals("nothing but what a new node has", 0, node.flags() & ~(Node.IMPORTANT | Node.VISIBLE | Node.ENABLED));
        info.setCheckable(true);
        assertFlag(Node.CHECKABLE);
        info.setChecked(true);
        assertFlag(Node.CHECKABLE | Node.CHECKED);
        info.setCheckable(false);
        info.setChecked(false);
        info.setClickable(true);
        info.setLongClickable(true);
        assertFlag(Node.CLICKABLE | Node.LONG_CLICKABLE);
        info.setClickable(false);
        info.setLongClickable(false);
        info.setFocusable(true);
        info.setFocused(true);
        info.setScrollable(true);
        assertFlag(Node.FOCUSABLE | Node.FOCUSED | Node.SCROLLABLE);
        info.setFocusable(false);
        info.setFocused(false);
        info.setScrollable(false);
        info.setPassword(true);
        info.setSelected(true);
        info.setEditable(true);
        assertFlag(Node.PASSWORD | Node.SELECTED | Node.EDITABLE);
        info.setPassword(false);
        info.setSelected(false);
        info.setEditable(false);
        info.setEnabled(true);
        info.setVisibleToUser(true);
        info.setImportantForAccessibility(true);
        assertEquals(Node.ENABLED | Node.VISIBLE | Node.IMPORTANT, node.flags());
        info.setDismissable(true);
        info.setContextClickable(true);
        info.setMultiLine(true);
        info.setHeading(true);
        info.setAccessibilityFocused(true);
        assertFlag(Node.DISMISSABLE | Node.CONTEXT_CLICKABLE | Node.MULTI_LINE | Node.HEADING | Node.ACCESSIBILITY_FOCUSED);
    }

    @Test
    public void texts_and_numbers_are_read() {
        assertNull(node.text());
        assertNull(node.hint());
        info.setClassName("android.widget.EditText");
        info.setPackageName("com.example");
        info.setViewIdResourceName("com.example:id/name");
        info.setText("Ada");
        info.setContentDescription("Name");
        info.setHintText("Your name");
        info.setStateDescription("half");
        info.setPaneTitle("Pane");
        info.setTooltipText("Tip");
        info.setUniqueId("u1");
        info.setInputType(129);
        info.setMaxTextLength(40);
        info.setDrawingOrder(3);
        info.setBoundsInScreen(new Rect(1, 2, 30, 40));
        assertEquals("android.widget.EditText", node.className());
        assertEquals("com.example", node.packageName());
        assertEquals("com.example:id/name", node.resourceId());
        assertEquals("Ada", node.text().toString());
        assertEquals("Name", node.description().toString());
        assertEquals("Your name", node.hint().toString());
        assertEquals("half", node.stateDescription().toString());
        assertEquals("Pane", node.paneTitle().toString());
        assertEquals("Tip", node.tooltip().toString());
        assertEquals("u1", node.uniqueId());
        assertEquals(129, node.inputType());
        assertEquals(40, node.maxTextLength());
        assertEquals(3, node.drawingOrder());
        int[] bounds = new int[4];
        node.bounds(bounds);
        assertArrayEquals(new int[] {1, 2, 30, 40}, bounds);
    }

    @Test
    public void a_field_that_shows_its_hint_is_empty() {
        info.setText("Your name");
        info.setShowingHintText(true);
        assertEquals("", node.text());
    }

    @Test
    public void old_actions_are_bits_and_new_ones_a_list() {
        assertNull(node.moreActions());
        info.addAction(AccessibilityNodeInfo.AccessibilityAction.ACTION_CLICK);
        info.addAction(AccessibilityNodeInfo.AccessibilityAction.ACTION_SCROLL_FORWARD);
        info.addAction(AccessibilityNodeInfo.AccessibilityAction.ACTION_SHOW_ON_SCREEN);
        info.addAction(new AccessibilityNodeInfo.AccessibilityAction(0x7f0b0001, "Archive"));
        assertEquals(16 | 4096, node.actions());
        Node.Action[] more = node.moreActions();
        assertEquals(2, more.length);
        assertEquals(AccessibilityNodeInfo.AccessibilityAction.ACTION_SHOW_ON_SCREEN.getId(), more[0].id);
        assertEquals(0x7f0b0001, more[1].id);
        assertEquals("Archive", more[1].label);
    }

    @Test
    public void collections_are_read() {
        assertNull(node.collection());
        assertNull(node.collectionItem());
        info.setCollectionInfo(AccessibilityNodeInfo.CollectionInfo.obtain(7, 2, false));
        info.setCollectionItemInfo(AccessibilityNodeInfo.CollectionItemInfo.obtain(3, 1, 1, 1, false));
        assertArrayEquals(new int[] {7, 2}, node.collection());
        assertArrayEquals(new int[] {3, 1}, node.collectionItem());
    }

    private void assertFlag(int expected) {
        assertEquals(expected, node.flags() & ~(Node.ENABLED | Node.VISIBLE | Node.IMPORTANT));
    }
}
