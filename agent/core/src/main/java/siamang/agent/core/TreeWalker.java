package siamang.agent.core;

import java.util.ArrayList;
import java.util.List;

/**
 * Walks the windows of a screen into a flat list of nodes in preorder. An app can show a tree without end, so depth and
 * number are bounded, and a node that is its own ancestor is left out.
 */
final class TreeWalker {
    private final Config config;
    private final List<Node> nodes = new ArrayList<Node>(256);
    private final List<int[]> childCounts = new ArrayList<int[]>(256);
    private final Node[] path;
    int flags;

    TreeWalker(Config config) {
        this.config = config;
        this.path = new Node[config.maxDepth];
    }

    /** Adds a window's tree and returns its number of nodes. */
    int add(Node root) {
        int before = nodes.size();
        walk(root, 0);
        return nodes.size() - before;
    }

    Node[] nodes() {
        return nodes.toArray(new Node[0]);
    }

    /** The number of children that follow node {@code i} here; {@link #childrenCut} says if it had more. */
    int children(int i) {
        return childCounts.get(i)[0];
    }

    boolean childrenCut(int i) {
        return childCounts.get(i)[1] != 0;
    }

    private boolean walk(Node node, int depth) {
        if (nodes.size() == config.maxNodes) {
            flags |= Tree.NODES_CUT;
            node.recycle();
            return false;
        }
        if (depth == config.maxDepth) {
            flags |= Tree.DEPTH_CUT;
            node.recycle();
            return false;
        }
        for (int i = 0; i < depth; i++) {
            if (path[i].equals(node)) {
                flags |= Tree.DEPTH_CUT;
                node.recycle();
                return false;
            }
        }
        path[depth] = node;
        int[] count = new int[2];
        nodes.add(node);
        childCounts.add(count);
        int children = node.childCount();
        for (int i = 0; i < children; i++) {
            // Asking for a child can cost a call to the app, so stop as soon as it could not be used.
            if (nodes.size() == config.maxNodes || depth + 1 == config.maxDepth) {
                flags |= nodes.size() == config.maxNodes ? Tree.NODES_CUT : Tree.DEPTH_CUT;
                count[1] = 1;
                break;
            }
            Node child = node.child(i);
            if (child == null) {
                flags |= Tree.CHILDREN_GONE;
                count[1] = 1;
            } else if (walk(child, depth + 1)) {
                count[0]++;
            } else {
                count[1] = 1;
            }
        }
        path[depth] = null;
        return true;
    }
}
