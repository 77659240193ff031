package siamang.agent.core;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class TreeTest {
    private static final int MAX_PAGE_BYTES = 12_000;

    @Test
    public void every_tree_is_read_back_as_it_was() throws Exception {
        for (int seed = 0; seed < 300; seed++) {
            FakeNode root = RandomTree.of(seed, 1 + seed);
            TreeDecoder decoded = new TreeDecoder(encode(root, Config.DEFAULT).bytes);
            List<String> expected = new ArrayList<String>();
            flatten(root, 0, expected);
            assertEquals("seed " + seed, expected, decoded.nodes);
            assertEquals(0, decoded.flags);
        }
    }

    @Test
    public void a_page_of_200_nodes_fits_12_kB() throws Exception {
        Tree tree = encode(RandomTree.page(200), Config.DEFAULT);
        assertEquals(200, tree.size());
        assertTrue("bytes: " + tree.bytes.length, tree.bytes.length <= MAX_PAGE_BYTES);
    }

    @Test
    public void a_tree_that_contains_itself_ends() throws Exception {
        FakeNode root = new FakeNode();
        root.with(new FakeNode().with(root));
        TreeDecoder decoded = new TreeDecoder(encode(root, Config.DEFAULT).bytes);
        assertEquals(2, decoded.nodes.size());
        assertEquals(Tree.DEPTH_CUT, decoded.flags);
    }

    @Test
    public void depth_and_number_are_cut_and_said_to_be() throws Exception {
        FakeNode deep = new FakeNode();
        FakeNode at = deep;
        for (int i = 0; i < 200; i++) {
            FakeNode next = new FakeNode();
            at.with(next);
            at = next;
        }
        TreeDecoder decoded = new TreeDecoder(encode(deep, Config.DEFAULT).bytes);
        assertEquals(Config.DEFAULT_DEPTH, decoded.nodes.size());
        assertEquals(Tree.DEPTH_CUT, decoded.flags);
        assertEquals(TreeDecoder.line(new FakeNode(), 63, Node.CHILDREN_CUT), decoded.nodes.get(63));

        FakeNode wide = new FakeNode();
        for (int i = 0; i < 5000; i++) {
            wide.with(new FakeNode());
        }
        decoded = new TreeDecoder(encode(wide, Config.DEFAULT).bytes);
        assertEquals(Config.DEFAULT_NODES, decoded.nodes.size());
        assertEquals(Tree.NODES_CUT, decoded.flags);
    }

    @Test
    public void the_deepest_allowed_tree_fits_a_worker_s_stack() throws Exception {
        FakeNode deep = new FakeNode();
        FakeNode at = deep;
        for (int i = 0; i < Config.MAX_DEPTH; i++) {
            FakeNode next = new FakeNode();
            at.with(next);
            at = next;
        }
        final FakeNode root = deep;
        final Config config = new Config(Wire.MAX_LIST, Config.MAX_DEPTH, 0, "", Config.DEFAULT.pace);
        final int[] size = new int[1];
        Thread small = new Thread(null, new Runnable() {
            @Override
            public void run() {
                try {
                    Tree tree = encode(root, config);
                    tree.hit(0, 5, 5);
                    size[0] = tree.size();
                } catch (AgentException e) {
                    throw new IllegalStateException(e);
                }
            }
        }, "small stack", 512 * 1024);
        small.start();
        small.join();
        assertEquals(Config.MAX_DEPTH, size[0]);
    }

    @Test
    public void a_lost_child_leaves_a_mark_and_the_others() throws Exception {
        FakeNode root = new FakeNode().with(null, new FakeNode(), null);
        TreeDecoder decoded = new TreeDecoder(encode(root, Config.DEFAULT).bytes);
        assertEquals(2, decoded.nodes.size());
        assertEquals(Tree.CHILDREN_GONE, decoded.flags);
    }

    @Test
    public void a_password_leaves_as_dots() throws Exception {
        FakeNode node = new FakeNode();
        node.flags |= Node.PASSWORD;
        node.text = "hunter2";
        byte[] bytes = encode(node, Config.DEFAULT).bytes;
        assertTrue(new TreeDecoder(bytes).nodes.get(0), new TreeDecoder(bytes).nodes.get(0).contains("|\u2022\u2022\u2022\u2022\u2022\u2022\u2022 "));
        assertTrue(!new String(bytes, "UTF-8").contains("hunter2"));
    }

    @Test
    public void huge_texts_are_cut_at_a_character_and_said_to_be() throws Exception {
        FakeNode root = new FakeNode();
        StringBuilder huge = new StringBuilder("x");
        for (int i = 0; i < 20_000; i++) {
            huge.append("\ud83d\ude48");
        }
        for (int i = 0; i < 100; i++) {
            FakeNode child = new FakeNode();
            child.text = i + huge.toString();
            root.with(child);
        }
        Tree tree = encode(root, Config.DEFAULT);
        TreeDecoder decoded = new TreeDecoder(tree.bytes);
        assertEquals(Tree.STRINGS_CUT, decoded.flags);
        assertTrue("bytes: " + tree.bytes.length, tree.bytes.length < StringTable.MAX_TOTAL_BYTES + 100_000);
        assertEquals(101, decoded.nodes.size());
    }

    @Test
    public void the_hash_changes_with_the_screen_and_not_with_the_time() throws Exception {
        Screen screen = FakeBackend.screenOf(RandomTree.page(50));
        long first = TreeEncoder.encode(screen, Config.DEFAULT, 1, 100).hash;
        assertEquals(first, TreeEncoder.encode(screen, Config.DEFAULT, 2, 999).hash);
        FakeNode changed = RandomTree.page(50);
        changed.children.get(0).children.get(3).children.get(1).text += "!";
        assertNotEquals(first, TreeEncoder.encode(FakeBackend.screenOf(changed), Config.DEFAULT, 1, 100).hash);
    }

    @Test
    public void a_touch_hits_the_deepest_visible_node_of_the_topmost_window() throws Exception {
        FakeNode below = FakeNode.of("a", 0, 0, 100, 100).with(FakeNode.of("b", 0, 0, 50, 50));
        FakeNode covered = FakeNode.of("c", 0, 0, 40, 40);
        FakeNode over = FakeNode.of("d", 0, 0, 40, 40);
        FakeNode hidden = FakeNode.of("e", 0, 0, 40, 40);
        hidden.flags &= ~Node.VISIBLE;
        FakeNode popup = FakeNode.of("f", 0, 0, 60, 60).with(covered, over, hidden);
        Screen screen = new Screen(0, 100, 100, new Top("", "", Top.FROM_WINDOW), Arrays.asList(
                new Window(2, 1, 1, 0, 0, new int[] {0, 0, 60, 60}, null, popup),
                new Window(1, 1, 0, 0, 0, new int[] {0, 0, 100, 100}, null, below)), false);
        Tree tree = TreeEncoder.encode(screen, Config.DEFAULT, 1, 0);
        assertHit(tree, 10, 10, 2, 3);
        assertHit(tree, 50, 50, 2, 1);
        assertHit(tree, 70, 70, 1, 5);
        assertHit(tree, 100, 100, -1, 0);
    }

    @Test
    public void all_nodes_go_back_to_the_pool() throws Exception {
        FakeNode root = new FakeNode();
        for (int i = 0; i < 5000; i++) {
            root.with(new FakeNode());
        }
        encode(root, Config.DEFAULT).recycle();
        int given = 0;
        for (FakeNode child : root.children) {
            given += child.recycled;
        }
        assertEquals(Config.DEFAULT_NODES - 1, given);
        assertEquals(1, root.recycled);
    }

    private static void assertHit(Tree tree, int x, int y, int window, int node) {
        Tree.Hit hit = tree.hit(0, x, y);
        assertEquals(window, hit.window);
        assertEquals(node, hit.node);
    }

    private static Tree encode(FakeNode root, Config config) throws AgentException {
        Window window = new Window(1, Window.APPLICATION, 0, 0, 0, new int[] {0, 0, 1080, 1920}, null, root);
        Screen screen = new Screen(0, 1080, 1920, new Top("p", "a", Top.FROM_WINDOW), Collections.singletonList(window), false);
        return TreeEncoder.encode(screen, config, 1, 0);
    }

    private static void flatten(FakeNode node, int depth, List<String> into) {
        into.add(TreeDecoder.line(node, depth, 0));
        for (FakeNode child : node.children) {
            flatten(child, depth + 1, into);
        }
    }
}
