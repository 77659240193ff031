package siamang.agent.core;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** Answers requests through the backend; one worker at a time sits here. */
final class Desk {
    /** How often and how long an empty screen is asked again before NO_ROOT. */
    private static final int ROOT_TRIES = 8;
    private static final long ROOT_PAUSE_MS = 50;
    private static final long CONFIRM_MS = 30;

    private final Backend backend;
    /** Real time, for measuring. */
    private final Clock clock;
    private volatile Config config = Config.DEFAULT;
    private volatile Tree latest;
    private volatile long steps;
    private volatile Times times = new Times(0, 0, 0);
    private long treeIds;

    Desk(Backend backend, Clock clock) {
        this.backend = backend;
        this.clock = clock;
    }

    static boolean knows(int op) {
        switch (op) {
            case Wire.CONFIG:
            case Wire.TREE:
            case Wire.STEP:
            case Wire.RESET:
            case Wire.APP:
            case Wire.TOP:
            case Wire.SHOT:
            case Wire.ROTATE:
            case Wire.SCREEN:
                return true;
            default:
                return false;
        }
    }

    /** Never throws: whatever goes wrong is an answer. */
    Reply answer(Turn turn) {
        int op = turn.request.op;
        try {
            turn.check();
            return Reply.ok(op, body(turn));
        } catch (AgentException e) {
            return Reply.error(op, e);
        } catch (InterruptedException e) {
            return Reply.error(op, new AgentException(AgentException.TIMEOUT, "the deadline passed"));
        } catch (HungException e) {
            return Reply.error(op, new AgentException(AgentException.HUNG, "the app does not answer", e.getMessage()));
        } catch (RuntimeException e) {
            return Reply.error(op, defect(e));
        } catch (Error e) {
            // A vendor's framework can lack a member that every level we checked has, and an app can exhaust the stack.
            return Reply.error(op, defect(e));
        }
    }

    long steps() {
        return steps;
    }

    Times times() {
        return times;
    }

    List<Backend.Missing> missing() {
        return backend.missing();
    }

    private ByteWriter body(Turn turn) throws AgentException, InterruptedException {
        ByteReader in = turn.request.body;
        switch (turn.request.op) {
            case Wire.CONFIG:
                Config next = Config.read(in);
                long inForce = backend.configure(next);
                config = next;
                return new ByteWriter().uv(inForce);
            case Wire.TREE:
                return tree(turn, in.u64());
            case Wire.STEP:
            case Wire.RESET:
                return step(turn);
            case Wire.APP:
                return app(in);
            case Wire.TOP:
                Top top = backend.eyes().top();
                return new ByteWriter().str(top.pkg).str(top.activity).u8(top.source);
            case Wire.SHOT:
                return shot(in);
            case Wire.ROTATE:
                return new ByteWriter().u8(backend.rotate(Primitive.choice(in, Wire.ROTATION_FREE, "rotation")));
            case Wire.SCREEN:
                Backend.ScreenState state = backend.screenState(in.uv(Integer.MAX_VALUE, "do"));
                return new ByteWriter().uv(state.is).u8(state.rotation).uv(state.width).uv(state.height);
            default:
                throw new AgentException(AgentException.UNSUPPORTED, "unknown op " + turn.request.op);
        }
    }

    private ByteWriter tree(Turn turn, long known) throws AgentException, InterruptedException {
        Tree tree = look(turn);
        boolean same = tree.hash == known;
        return new ByteWriter(tree.bytes.length + 16).u64(tree.hash).bool(same).bytes(same ? new byte[0] : tree.bytes);
    }

    private ByteWriter step(Turn turn) throws AgentException, InterruptedException {
        StepRequest request = turn.step;
        StepAnswer answer = new StepAnswer(request.step);
        long start = clock.nanos();
        Eyes eyes = backend.eyes();
        eyes.arm();
        if (request.primitives == null) {
            reset(turn, request);
        } else {
            noteHits(request.primitives, answer);
            new Hands(backend, turn, latest, answer).performAll(request.primitives);
        }
        long acted = clock.nanos();
        Pace pace = request.pace.orElse(config.pace);
        if (pace.settle) {
            answer.settled(eyes.settle(pace));
        }
        long settled = clock.nanos();
        if ((request.want & (Wire.WANT_TREE | Wire.WANT_TREE_IF_CHANGED)) != 0) {
            Tree tree = look(turn);
            if (config.has(Config.CONFIRM) && pace.settle) {
                tree = confirm(turn, tree, pace);
            }
            answer.tree(tree, (request.want & Wire.WANT_TREE) != 0 || tree.hash != request.known);
        }
        long read = clock.nanos();
        if ((request.want & Wire.WANT_SHOT) != 0) {
            answer.shot(backend.eyes().shot(Shot.PNG, 100));
        }
        backend.testify(answer);
        steps++;
        times = new Times((acted - start) / 1000, (settled - acted) / 1000, (read - settled) / 1000);
        return answer.encode();
    }

    private void noteHits(Primitive[] primitives, StepAnswer answer) {
        Tree before = latest;
        if (before == null) {
            return;
        }
        List<Tree.Hit> hits = new ArrayList<Tree.Hit>();
        for (int i = 0; i < primitives.length; i++) {
            int[] point = primitives[i].touchPoint();
            if (point != null) {
                hits.add(before.hit(i, point[0], point[1]));
            }
        }
        answer.hits(before.id, hits);
    }

    private void reset(Turn turn, StepRequest request) throws AgentException, InterruptedException {
        Apps apps = backend.apps();
        if (request.resetMode != Wire.RESET_WARM) {
            mayClear();
        }
        apps.stop(request.pkg);
        turn.check();
        if (request.resetMode == Wire.RESET_CLEAN) {
            apps.clear(request.pkg);
        } else if (request.resetMode == Wire.RESET_SNAPSHOT) {
            apps.restore(request.pkg, request.snapshot);
        }
        turn.check();
        apps.start(request.pkg, request.component);
    }

    private ByteWriter app(ByteReader in) throws AgentException, InterruptedException {
        int verb = in.u8();
        String pkg = Names.checkPackage(in.str());
        String name = in.str();
        Apps apps = backend.apps();
        long value = 0;
        String answer = "";
        switch (verb) {
            case 1:
                answer = apps.start(pkg, name.isEmpty() ? name : Names.checkClass(name));
                break;
            case 2:
                apps.stop(pkg);
                break;
            case 3:
                mayClear();
                apps.clear(pkg);
                break;
            case 4:
                value = apps.grant(pkg, name.isEmpty() ? name : Names.checkPermission(name));
                break;
            case 5:
                apps.revoke(pkg, Names.checkPermission(name));
                break;
            case 6:
                value = apps.state(pkg);
                break;
            case 7:
                apps.recall(pkg);
                break;
            case 8:
                value = apps.keep(pkg, Names.checkSnapshot(name));
                break;
            default:
                throw new AgentException(AgentException.UNSUPPORTED, "unknown verb " + verb);
        }
        return new ByteWriter().uv(value).str(answer);
    }

    private ByteWriter shot(ByteReader in) throws AgentException {
        int format = in.u8();
        int percent = in.uv(100, "percent");
        if (format != Shot.PNG && format != Shot.JPEG || percent == 0) {
            throw ProtocolException.malformed("format " + format + " at " + percent + " percent");
        }
        Shot shot = backend.eyes().shot(format, percent);
        return shot.writeTo(new ByteWriter(shot.image.length + 16));
    }

    /** The tester's data is theirs: it goes only if the host said so for this run. */
    private void mayClear() throws AgentException {
        if (!config.has(Config.ALLOW_CLEAR)) {
            throw new AgentException(AgentException.REFUSED, "clearing app data was not allowed by CONFIG");
        }
    }

    private Tree confirm(Turn turn, Tree first, Pace pace) throws AgentException, InterruptedException {
        backend.clock().pause(CONFIRM_MS);
        Tree second = look(turn);
        if (second.hash == first.hash) {
            return second;
        }
        backend.eyes().settle(pace);
        return look(turn);
    }

    /** Reads the screen. A window without root is usual for a moment; only if none has one it is asked again. */
    private Tree look(Turn turn) throws AgentException, InterruptedException {
        for (int i = 0; i < ROOT_TRIES; i++) {
            turn.check();
            Screen screen = backend.eyes().screen(config);
            if (hasRoot(screen)) {
                Tree tree = TreeEncoder.encode(screen, config, ++treeIds, backend.clock().now());
                turn.check();
                Tree old = latest;
                if (old != null && old.hash == tree.hash && old.size() == tree.size()) {
                    tree.firstId = old.firstId;
                }
                latest = tree;
                if (old != null) {
                    old.recycle();
                }
                return tree;
            }
            backend.clock().pause(ROOT_PAUSE_MS);
        }
        throw new AgentException(AgentException.NO_ROOT, "no window gave a root");
    }

    private static boolean hasRoot(Screen screen) {
        for (Window window : screen.windows) {
            if (window.root != null) {
                return true;
            }
        }
        return false;
    }

    private static AgentException defect(Throwable e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        String text = trace.toString();
        return new AgentException(AgentException.INTERNAL, String.valueOf(e), text.substring(0, Math.min(text.length(), 8000)));
    }

    /** How long the parts of the last step took, in microseconds of real time. */
    static final class Times {
        final long actUs;
        final long settleUs;
        final long treeUs;

        Times(long actUs, long settleUs, long treeUs) {
            this.actUs = actUs;
            this.settleUs = settleUs;
            this.treeUs = treeUs;
        }
    }
}
