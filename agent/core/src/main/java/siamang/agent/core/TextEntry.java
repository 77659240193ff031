package siamang.agent.core;

/**
 * Writes a text into a field and looks whether it is there. Setting the text is first: any script, no keyboard. A web
 * view often takes it only once it has the focus, and some fields only take keys.
 */
final class TextEntry {
    static final int BEST = 0;
    static final int SET_TEXT = 1;
    static final int KEYS = 2;
    static final int PASTE = 3;

    static final int DIFFERS = 0;
    static final int EQUAL = 1;
    static final int UNREADABLE = 2;

    private static final int ACTION_FOCUS = 1;
    private static final int ACTION_SET_SELECTION = 1 << 17;
    /** The app applies a text on its own thread; reading back at once would see the old one. */
    private static final long READ_BACK_MS = 20;
    private static final int READ_BACK_TRIES = 5;

    private final Backend backend;
    private final Turn turn;

    TextEntry(Backend backend, Turn turn) {
        this.backend = backend;
        this.turn = turn;
    }

    Result write(Node node, String text, int mode) throws AgentException, InterruptedException {
        if (mode != BEST) {
            boolean done = attempt(node, text, mode);
            return done ? new Result(mode, verify(node, text)) : new Result(0, DIFFERS);
        }
        Result best = new Result(0, DIFFERS);
        for (int method : new int[] {SET_TEXT, SET_TEXT, KEYS, PASTE}) {
            if (attempt(node, text, method)) {
                Result result = new Result(method, verify(node, text));
                if (result.verified != DIFFERS) {
                    return result;
                }
                best = result;
            }
            // From the second attempt on the field has the focus, if it takes it.
            node.perform(ACTION_FOCUS, new Node.Argument[0]);
        }
        return best;
    }

    private boolean attempt(Node node, String text, int method) throws AgentException, InterruptedException {
        turn.check();
        switch (method) {
            case SET_TEXT:
                return node.perform(Node.ACTION_SET_TEXT, new Node.Argument[] {new Node.Argument(Node.ARGUMENT_TEXT, text)});
            case KEYS:
                select(node);
                return backend.fingers().type(text);
            default:
                select(node);
                return backend.fingers().paste(text);
        }
    }

    /** Typed text goes where the cursor is, so what is there is selected first and thereby replaced. */
    private void select(Node node) throws AgentException {
        node.refresh();
        CharSequence old = node.text();
        if (old != null && old.length() > 0) {
            node.perform(ACTION_SET_SELECTION, new Node.Argument[] {
                new Node.Argument("ACTION_ARGUMENT_SELECTION_START_INT", 0),
                new Node.Argument("ACTION_ARGUMENT_SELECTION_END_INT", old.length()),
            });
        }
    }

    private int verify(Node node, String text) throws InterruptedException, AgentException {
        for (int i = 0; i < READ_BACK_TRIES; i++) {
            turn.check();
            if (!node.refresh()) {
                return UNREADABLE;
            }
            if ((node.flags() & Node.PASSWORD) != 0) {
                // The platform shows dots; their number is all that can be compared.
                CharSequence dots = node.text();
                if (dots != null && dots.length() == text.length()) {
                    return UNREADABLE;
                }
            } else if (text.contentEquals(node.text() == null ? "" : node.text())) {
                return EQUAL;
            }
            backend.clock().pause(READ_BACK_MS);
        }
        return DIFFERS;
    }

    static final class Result {
        final int method;
        final int verified;

        Result(int method, int verified) {
            this.method = method;
            this.verified = verified;
        }
    }
}
