package siamang.agent.core;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class InputTest {
    private final FakeClock clock = FakeClock.at(0);
    private final FakeBackend backend = new FakeBackend(clock);

    @Test
    public void a_tap_is_down_and_up_in_one_place() {
        List<Touch> tap = Gestures.tap(3, 4);
        assertEquals(2, tap.size());
        assertEquals(Touch.DOWN, tap.get(0).action);
        assertEquals(Touch.UP, tap.get(1).action);
        assertEquals(Gestures.TAP_MS, tap.get(1).at);
    }

    @Test
    public void a_swipe_has_constant_speed_along_all_points() {
        List<Touch> swipe = Gestures.swipe(new int[] {0, 100, 100}, new int[] {0, 0, 300}, 400);
        assertEquals(Touch.DOWN, swipe.get(0).action);
        assertEquals(Touch.UP, swipe.get(swipe.size() - 1).action);
        assertEquals(400, swipe.get(swipe.size() - 1).at);
        assertTrue(swipe.size() >= 10);
        for (int i = 1; i < swipe.size() - 1; i++) {
            Touch touch = swipe.get(i);
            assertEquals(Touch.MOVE, touch.action);
            int walked = touch.xs[0] + touch.ys[0];
            assertEquals(touch.at, walked, 2);
            assertTrue(touch.xs[0] == 100 || touch.ys[0] == 0);
        }
    }

    @Test
    public void even_a_short_swipe_has_eight_moves_and_a_still_one_does_not_divide_by_zero() {
        assertEquals(10, Gestures.swipe(new int[] {0, 9}, new int[] {0, 9}, 10).size());
        for (Touch touch : Gestures.swipe(new int[] {5, 5}, new int[] {6, 6}, 100)) {
            assertEquals(5, touch.xs[0]);
            assertEquals(6, touch.ys[0]);
        }
    }

    @Test
    public void a_pinch_puts_the_second_finger_down_after_the_first_and_up_before_it() {
        List<Touch> pinch = Gestures.pinch(500, 600, 50, 250, 160);
        assertEquals(Touch.DOWN, pinch.get(0).action);
        assertArrayEquals(new int[] {450}, pinch.get(0).xs);
        assertEquals(Touch.POINTER_DOWN, pinch.get(1).action);
        assertEquals(1, pinch.get(1).index);
        assertArrayEquals(new int[] {450, 550}, pinch.get(1).xs);
        Touch lastMove = pinch.get(pinch.size() - 3);
        assertArrayEquals(new int[] {250, 750}, lastMove.xs);
        assertArrayEquals(new int[] {600, 600}, lastMove.ys);
        assertEquals(Touch.POINTER_UP, pinch.get(pinch.size() - 2).action);
        assertEquals(Touch.UP, pinch.get(pinch.size() - 1).action);
    }

    @Test
    public void samples_are_played_in_time() throws Exception {
        hands(null).play(Gestures.press(1, 2, 600));
        assertEquals(600, clock.now());
        assertEquals(Arrays.asList("touch 0 [1] [2]", "touch 1 [1] [2]"), backend.log);
    }

    @Test
    public void a_gesture_that_fails_is_cancelled() throws Exception {
        backend.refuseTouch = new AgentException(AgentException.INJECT_DENIED, "no");
        try {
            hands(null).performAll(new Primitive[] {new Primitive.Wait(5), new Primitive.Tap(1, 2)});
            fail("performed");
        } catch (AgentException e) {
            assertEquals(AgentException.INJECT_DENIED, e.code());
            assertEquals("1 primitives ran before this one", e.detail());
        }
        assertEquals(Arrays.asList("touch 0 [1] [2]", "touch 3 [1] [2]"), backend.log);
    }

    @Test
    public void a_node_of_an_older_tree_is_stale() throws Exception {
        Tree tree = TreeEncoder.encode(backend.screen, Config.DEFAULT, 9, 0);
        Hands hands = hands(tree);
        hands.act(new Primitive.NodeAction(9, 1, 16, new Node.Argument[0]));
        for (long[] bad : new long[][] {{8, 1}, {9, 2}}) {
            try {
                hands.act(new Primitive.NodeAction(bad[0], (int) bad[1], 16, new Node.Argument[0]));
                fail("acted on a stale node");
            } catch (AgentException e) {
                assertEquals(AgentException.STALE, e.code());
            }
        }
        assertEquals(Arrays.asList("16"), ((FakeNode) tree.nodes[1]).performed);
    }

    @Test
    public void text_is_set_and_read_back() throws Exception {
        FakeNode field = field();
        assertWritten(field, TextEntry.BEST, TextEntry.SET_TEXT, TextEntry.EQUAL);
        assertEquals("h\u00e9llo", field.text);
        assertEquals(0, backend.log.size());
    }

    @Test
    public void a_field_that_refuses_text_gets_the_focus_and_then_keys() throws Exception {
        FakeNode field = field();
        field.takesSetText = false;
        field.text = "old";
        backend.focused = field;
        backend.typesAll = true;
        assertWritten(field, TextEntry.BEST, TextEntry.KEYS, TextEntry.EQUAL);
        assertEquals(Arrays.asList("type h\u00e9llo"), backend.log);
        assertTrue(field.performed.toString(), field.performed.contains("131072 ACTION_ARGUMENT_SELECTION_START_INT=0 ACTION_ARGUMENT_SELECTION_END_INT=3"));
    }

    @Test
    public void a_field_that_takes_nothing_is_reported_and_not_believed() throws Exception {
        FakeNode field = field();
        field.takesSetText = false;
        assertWritten(field, TextEntry.BEST, 0, TextEntry.DIFFERS);
        assertEquals(Arrays.asList("type h\u00e9llo", "paste h\u00e9llo"), backend.log);
    }

    @Test
    public void a_filter_that_changes_the_text_is_seen() throws Exception {
        FakeNode field = field();
        field.takesSetText = false;
        backend.typesAll = true;
        backend.focused = field();
        TextEntry.Result result = new TextEntry(backend, turn()).write(field, "abc", TextEntry.KEYS);
        assertEquals(TextEntry.KEYS, result.method);
        assertEquals(TextEntry.DIFFERS, result.verified);
    }

    @Test
    public void a_field_that_is_gone_cannot_be_read() throws Exception {
        FakeNode field = field();
        field.gone = true;
        assertWritten(field, TextEntry.BEST, TextEntry.SET_TEXT, TextEntry.UNREADABLE);
    }

    @Test
    public void an_address_is_opened_in_the_app_and_what_hides_an_intent_is_refused() throws Exception {
        Primitive[] open = Primitive.readAll(opening("https://example.org/note?id=7"));
        hands(null).performAll(open);
        assertEquals(Arrays.asList("open com.example.notes https://example.org/note?id=7"), backend.log);
        for (String bad : new String[] {"intent:#Intent;end", "ANDROID-APP://x", "file:///sdcard/x", "content://x", "javascript:x", "no scheme", "x:", "a:b\nc", ""}) {
            try {
                Primitive.readAll(opening(bad));
                fail(bad);
            } catch (AgentException e) {
                assertEquals(bad, AgentException.MALFORMED, e.code());
            }
        }
    }

    private static ByteReader opening(String address) {
        return new ByteReader(new ByteWriter().uv(1).u8(10).str("com.example.notes").str(address).toBytes());
    }

    private void assertWritten(FakeNode field, int mode, int method, int verified) throws Exception {
        TextEntry.Result result = new TextEntry(backend, turn()).write(field, "h\u00e9llo", mode);
        assertEquals(method, result.method);
        assertEquals(verified, result.verified);
    }

    private static FakeNode field() {
        FakeNode field = FakeNode.of("android.widget.EditText", 0, 0, 10, 10);
        field.flags |= Node.EDITABLE;
        return field;
    }

    private Hands hands(Tree latest) throws Exception {
        return new Hands(backend, turn(), latest, new StepAnswer(1));
    }

    private static Turn turn() throws Exception {
        return new Turn(Request.read(new Frame(Wire.REQUEST, Wire.STEP, 1, new byte[2])), null, null);
    }
}
