package siamang.agent.core;

import java.util.List;

/** Performs primitives through a backend's fingers, in time. One per step. */
final class Hands {
    private static final int KEYCODE_ENTER = 66;

    private final Backend backend;
    private final Turn turn;
    private final Tree tree;
    private final StepAnswer answer;
    private int current;

    /** {@code tree} is the latest tree that was sent, or null. */
    Hands(Backend backend, Turn turn, Tree tree, StepAnswer answer) {
        this.backend = backend;
        this.turn = turn;
        this.tree = tree;
        this.answer = answer;
    }

    void performAll(Primitive[] primitives) throws AgentException, InterruptedException {
        for (current = 0; current < primitives.length; current++) {
            try {
                turn.check();
                primitives[current].perform(this);
            } catch (AgentException e) {
                throw e.withDetail(current + " primitives ran before this one");
            }
            answer.performed(current + 1);
        }
    }

    void play(List<Touch> gesture) throws AgentException, InterruptedException {
        Clock clock = backend.clock();
        long start = clock.now();
        Touch last = null;
        try {
            for (Touch touch : gesture) {
                long wait = start + touch.at - clock.now();
                if (wait > 0) {
                    clock.pause(wait);
                }
                turn.check();
                // Noted before the call: a DOWN that failed half-way must be ended too.
                last = touch;
                backend.fingers().touch(touch, start);
            }
            last = null;
        } finally {
            if (last != null) {
                cancel(last, start);
            }
        }
    }

    void press(int code, int meta) throws AgentException {
        long start = backend.clock().now();
        try {
            backend.fingers().key(true, code, meta, start);
        } catch (AgentException e) {
            release(code, meta, start);
            throw e;
        }
        backend.fingers().key(false, code, meta, start);
    }

    void write(Primitive.Text text) throws AgentException, InterruptedException {
        Node node = text.node == 0 ? backend.eyes().focused() : node(text.tree, text.node - 1);
        if (node == null) {
            throw new AgentException(AgentException.STALE, "no node has the input focus");
        }
        answer.text(new TextEntry(backend, turn).write(node, text.text, text.mode), current);
        if (text.enter) {
            press(KEYCODE_ENTER, 0);
        }
    }

    void act(Primitive.NodeAction action) throws AgentException {
        Node node = node(action.tree, action.node);
        if (!node.perform(action.action, action.arguments)) {
            throw new AgentException(AgentException.STALE, "node " + action.node + " refused action " + action.action);
        }
    }

    void pause(int ms) throws AgentException, InterruptedException {
        backend.clock().pause(ms);
        turn.check();
    }

    void rotate(int rotation) throws AgentException {
        backend.rotate(rotation);
    }

    void open(String pkg, String address) throws AgentException, InterruptedException {
        backend.apps().open(pkg, address);
    }

    long longPressMs() {
        return backend.fingers().longPressMs() + 100;
    }

    private Node node(long treeId, int index) throws AgentException {
        if (tree == null || treeId > tree.id || treeId < tree.firstId) {
            throw new AgentException(AgentException.STALE, "tree " + treeId + " is not the latest");
        }
        if (index >= tree.size()) {
            throw new AgentException(AgentException.STALE, "tree " + treeId + " has no node " + index);
        }
        return tree.nodes[index];
    }

    /** A finger left down would make every later gesture wrong; if even this fails there is nothing better to report. */
    private void cancel(Touch last, long start) {
        boolean interrupted = Thread.interrupted();
        try {
            backend.fingers().touch(last.cancelled(), start);
        } catch (AgentException e) {
            Log.note("could not cancel a gesture: " + e.getMessage());
        } finally {
            restore(interrupted);
        }
    }

    private void release(int code, int meta, long start) {
        boolean interrupted = Thread.interrupted();
        try {
            backend.fingers().key(false, code, meta, start);
        } catch (AgentException e) {
            Log.note("could not release key " + code + ": " + e.getMessage());
        } finally {
            restore(interrupted);
        }
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
