package siamang.agent.core;

/** One input of a STEP. Decoded wholly before the first one acts, so that a malformed step does nothing. */
public abstract class Primitive {
    private static final int MAX_COORDINATE = 1 << 20;

    /** Where it touches the screen first, or null. */
    int[] touchPoint() {
        return null;
    }

    abstract void perform(Hands hands) throws AgentException, InterruptedException;

    static Primitive[] readAll(ByteReader in) throws AgentException {
        int count = in.count(Wire.MAX_PRIMITIVES, 2, "primitives");
        Primitive[] all = new Primitive[count];
        for (int i = 0; i < count; i++) {
            all[i] = read(in);
        }
        return all;
    }

    private static Primitive read(ByteReader in) throws AgentException {
        int kind = in.u8();
        switch (kind) {
            case 1:
                return new Tap(coordinate(in), coordinate(in));
            case 2:
                return new LongTap(coordinate(in), coordinate(in), duration(in));
            case 3:
                return readSwipe(in);
            case 4:
                return new Pinch(coordinate(in), coordinate(in), in.uv(MAX_COORDINATE, "a radius"), in.uv(MAX_COORDINATE, "a radius"), duration(in));
            case 5:
                return new Key(in.uv(0xFFFF, "a key code"), in.uv(Integer.MAX_VALUE, "meta"));
            case 6:
                return new Text(in.uv(), in.uv(Wire.MAX_LIST, "a node"), in.str(), choice(in, 3, "text mode"), in.bool());
            case 7:
                return readNodeAction(in);
            case 8:
                return new Wait(duration(in));
            case 9:
                return new Rotate(choice(in, Wire.ROTATION_FREE, "rotation"));
            case 10:
                return new Open(Names.checkPackage(in.str()), Names.checkAddress(in.str()));
            default:
                throw new AgentException(AgentException.UNSUPPORTED, "unknown primitive " + kind);
        }
    }

    private static Primitive readSwipe(ByteReader in) throws ProtocolException {
        int count = in.count(Wire.MAX_POINTS, 2, "points");
        if (count < 2) {
            throw ProtocolException.malformed("a swipe needs two points");
        }
        int[] xs = new int[count];
        int[] ys = new int[count];
        for (int i = 0; i < count; i++) {
            xs[i] = coordinate(in);
            ys[i] = coordinate(in);
        }
        return new Swipe(xs, ys, duration(in));
    }

    private static Primitive readNodeAction(ByteReader in) throws ProtocolException {
        long tree = in.uv();
        int node = in.uv(Wire.MAX_LIST, "a node");
        int action = in.uv(Integer.MAX_VALUE, "an action");
        int count = in.count(Wire.MAX_ARGUMENTS, 3, "arguments");
        Node.Argument[] arguments = new Node.Argument[count];
        for (int i = 0; i < count; i++) {
            String key = in.str();
            int type = in.u8();
            Object value = null;
            switch (type) {
                case 1:
                    value = in.sv();
                    break;
                case 2:
                    value = in.bool();
                    break;
                case 3:
                    value = in.str();
                    break;
                default:
                    throw ProtocolException.malformed("unknown argument type " + type);
            }
            arguments[i] = new Node.Argument(key, value);
        }
        return new NodeAction(tree, node, action, arguments);
    }

    static int choice(ByteReader in, int max, String what) throws ProtocolException {
        int value = in.u8();
        if (value > max) {
            throw ProtocolException.malformed("unknown " + what + " " + value);
        }
        return value;
    }

    private static int coordinate(ByteReader in) throws ProtocolException {
        int value = in.sv();
        if (Math.abs((long) value) > MAX_COORDINATE) {
            throw ProtocolException.limit("a coordinate is " + value);
        }
        return value;
    }

    private static int duration(ByteReader in) throws ProtocolException {
        return in.uv((int) Wire.MAX_DURATION_MS, "a time");
    }

    static final class Tap extends Primitive {
        final int x;
        final int y;

        Tap(int x, int y) {
            this.x = x;
            this.y = y;
        }

        @Override
        int[] touchPoint() {
            return new int[] {x, y};
        }

        @Override
        void perform(Hands hands) throws AgentException, InterruptedException {
            hands.play(Gestures.tap(x, y));
        }
    }

    static final class LongTap extends Primitive {
        final int x;
        final int y;
        final int holdMs;

        LongTap(int x, int y, int holdMs) {
            this.x = x;
            this.y = y;
            this.holdMs = holdMs;
        }

        @Override
        int[] touchPoint() {
            return new int[] {x, y};
        }

        @Override
        void perform(Hands hands) throws AgentException, InterruptedException {
            hands.play(Gestures.press(x, y, holdMs == 0 ? hands.longPressMs() : holdMs));
        }
    }

    static final class Swipe extends Primitive {
        final int[] xs;
        final int[] ys;
        final int ms;

        Swipe(int[] xs, int[] ys, int ms) {
            this.xs = xs;
            this.ys = ys;
            this.ms = ms;
        }

        @Override
        int[] touchPoint() {
            return new int[] {xs[0], ys[0]};
        }

        @Override
        void perform(Hands hands) throws AgentException, InterruptedException {
            hands.play(Gestures.swipe(xs, ys, ms));
        }
    }

    static final class Pinch extends Primitive {
        final int x;
        final int y;
        final int from;
        final int to;
        final int ms;

        Pinch(int x, int y, int from, int to, int ms) {
            this.x = x;
            this.y = y;
            this.from = from;
            this.to = to;
            this.ms = ms;
        }

        @Override
        int[] touchPoint() {
            return new int[] {x, y};
        }

        @Override
        void perform(Hands hands) throws AgentException, InterruptedException {
            hands.play(Gestures.pinch(x, y, from, to, ms));
        }
    }

    static final class Key extends Primitive {
        final int code;
        final int meta;

        Key(int code, int meta) {
            this.code = code;
            this.meta = meta;
        }

        @Override
        void perform(Hands hands) throws AgentException, InterruptedException {
            hands.press(code, meta);
        }
    }

    static final class Text extends Primitive {
        final long tree;
        /** Index + 1; 0 is the focused node. */
        final int node;
        final String text;
        final int mode;
        final boolean enter;

        Text(long tree, int node, String text, int mode, boolean enter) {
            this.tree = tree;
            this.node = node;
            this.text = text;
            this.mode = mode;
            this.enter = enter;
        }

        @Override
        void perform(Hands hands) throws AgentException, InterruptedException {
            hands.write(this);
        }
    }

    static final class NodeAction extends Primitive {
        final long tree;
        final int node;
        final int action;
        final Node.Argument[] arguments;

        NodeAction(long tree, int node, int action, Node.Argument[] arguments) {
            this.tree = tree;
            this.node = node;
            this.action = action;
            this.arguments = arguments;
        }

        @Override
        void perform(Hands hands) throws AgentException {
            hands.act(this);
        }
    }

    static final class Wait extends Primitive {
        final int ms;

        Wait(int ms) {
            this.ms = ms;
        }

        @Override
        void perform(Hands hands) throws AgentException, InterruptedException {
            hands.pause(ms);
        }
    }

    static final class Open extends Primitive {
        final String pkg;
        final String address;

        Open(String pkg, String address) {
            this.pkg = pkg;
            this.address = address;
        }

        @Override
        void perform(Hands hands) throws AgentException, InterruptedException {
            hands.open(pkg, address);
        }
    }

    static final class Rotate extends Primitive {
        final int rotation;

        Rotate(int rotation) {
            this.rotation = rotation;
        }

        @Override
        void perform(Hands hands) throws AgentException {
            hands.rotate(rotation);
        }
    }
}
