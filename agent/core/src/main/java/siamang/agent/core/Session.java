package siamang.agent.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What outlives a connection: the queue of requests, the step that runs, the last step's answer and the events that the
 * host has not seen. One monitor, this object, guards it all. Nothing here waits for time: {@link #tick} is told it.
 */
final class Session {
    private static final int UNCLAIMED = 0;
    private static final int ATTACHED = 1;
    private static final int CUT = 2;
    private static final int ENDED = 3;

    static final int STEP_NONE = 0;
    static final int STEP_RUNNING = 1;
    static final int STEP_ANSWERED = 2;

    private final long id;
    private final Desk desk;
    private final Clock clock;
    private final Clock device;
    private final EventQueue events = new EventQueue();
    private final ArrayDeque<Turn> waiting = new ArrayDeque<Turn>();
    private int state = UNCLAIMED;
    private long since;
    private long lastFrameAt;
    private Connection connection;
    private Turn running;
    private Thread worker;
    private int workersLost;
    /** A phone on which a step was done between two hangs is not dead. */
    private int lostInARow;
    private long requests;
    private long lastStep;
    private Turn lastStepTurn;
    private Reply lastStepReply;
    private int byeId;
    private Ending ending;

    /** Deadlines go by {@code clock}, which never stands still; {@code device} stamps what is sent. */
    Session(long id, Desk desk, Clock clock, Clock device) {
        this.id = id;
        this.desk = desk;
        this.clock = clock;
        this.device = device;
        this.since = clock.now();
        startWorker();
    }

    EventQueue events() {
        return events;
    }

    synchronized void event(int op, ByteWriter body) {
        events.add(op, device.now(), body);
        notifyAll();
    }

    synchronized void windowsChanged() {
        events.addWindows(device.now());
        notifyAll();
    }

    /** AUTH: takes the session for the first and only time. */
    synchronized void claim(Connection by, Request request, byte[] agentMac) throws AgentException {
        if (state != UNCLAIMED) {
            throw new AgentException(AgentException.BUSY, "the session belongs to another connection");
        }
        attach(by);
        by.reply(request.id, Reply.ok(Wire.AUTH, new ByteWriter().u64(id).raw(agentMac)));
    }

    /** RESUME: takes it over, also from a connection that only looks alive. */
    synchronized void resume(Connection by, Request request, Handshake hello, byte[] agentMac) throws AgentException {
        if (state == UNCLAIMED || state == ENDED || hello.session != id) {
            throw new AgentException(AgentException.NO_SESSION, "no such session");
        }
        Connection old = connection;
        connection = null;
        if (old != null) {
            old.close();
        }
        attach(by);
        events.seen(request.seen);
        by.sentUpTo(request.seen);
        int stepState = lastStep == 0 ? STEP_NONE : lastStepReply == null ? STEP_RUNNING : STEP_ANSWERED;
        by.reply(request.id, Reply.ok(Wire.RESUME, new ByteWriter().u64(id).raw(agentMac).uv(lastStep).u8(stepState)));
    }

    /** A connection is gone; the session waits for its RESUME. */
    synchronized void cut(Connection gone) {
        if (gone == connection && state == ATTACHED) {
            connection = null;
            state = CUT;
            since = clock.now();
        }
        notifyAll();
    }

    synchronized boolean isCut() {
        return state == CUT;
    }

    synchronized void handle(Connection from, Request request) throws AgentException {
        if (from != connection) {
            return;
        }
        lastFrameAt = clock.now();
        requests++;
        events.seen(request.seen);
        switch (request.op) {
            case Wire.PING:
                from.reply(request.id, Reply.ok(Wire.PING));
                return;
            case Wire.STAT:
                from.reply(request.id, Reply.ok(Wire.STAT, stat()));
                return;
            case Wire.BYE:
                byeId = request.id;
                end(Ending.BYE);
                return;
            case Wire.STEP:
            case Wire.RESET:
                step(new Turn(request, StepRequest.read(request), from));
                return;
            default:
                if (!Desk.knows(request.op)) {
                    throw new AgentException(AgentException.UNSUPPORTED, "unknown op " + request.op);
                }
                enqueue(new Turn(request, null, from));
        }
    }

    /** Looks at the time: a request past its deadline, a silent host, a host that does not come back. */
    synchronized void tick() {
        long now = clock.now();
        if (running != null && now >= running.deadlineAt) {
            loseWorker();
        }
        if (state == ATTACHED && now - lastFrameAt >= Wire.SILENCE_MS) {
            Connection silent = connection;
            cut(silent);
            silent.close();
        }
        if (state == CUT && now - since >= Wire.RESUME_MS) {
            end(Ending.NO_RESUME);
        }
        if (state == UNCLAIMED && now - since >= Wire.SILENCE_MS) {
            end(Ending.NO_HOST);
        }
    }

    synchronized void end(Ending how) {
        if (state == ENDED) {
            return;
        }
        state = ENDED;
        ending = how;
        waiting.clear();
        notifyAll();
    }

    /** Waits for the end; the server then undoes and says good-bye. */
    synchronized Ending awaitEnd() throws InterruptedException {
        while (ending == null) {
            wait();
        }
        return ending;
    }

    /** After the undo: answers BYE, and returns the connection for the last frames to go out, or null. */
    synchronized Connection leave() {
        Connection last = connection;
        connection = null;
        if (last != null && ending == Ending.BYE) {
            last.reply(byeId, Reply.ok(Wire.BYE));
        }
        return last;
    }

    private void attach(Connection by) {
        connection = by;
        state = ATTACHED;
        lastFrameAt = clock.now();
        notifyAll();
    }

    private void step(Turn turn) throws AgentException {
        long step = turn.step.step;
        if (step < lastStep) {
            throw new AgentException(AgentException.STALE, "step " + step + " is older than step " + lastStep);
        }
        if (step > lastStep) {
            enqueue(turn);
            lastStep = step;
            lastStepTurn = turn;
            lastStepReply = null;
        } else if (lastStepReply != null) {
            turn.connection.reply(turn.replyId, lastStepReply);
        } else {
            lastStepTurn.connection = turn.connection;
            lastStepTurn.replyId = turn.replyId;
        }
    }

    private void enqueue(Turn turn) throws AgentException {
        if (waiting.size() >= Wire.MAX_WAITING_REQUESTS) {
            throw new AgentException(AgentException.LIMIT, Wire.MAX_WAITING_REQUESTS + " requests are waiting");
        }
        waiting.add(turn);
        notifyAll();
    }

    private void startWorker() {
        worker = new Thread("siamang-worker") {
            @Override
            public void run() {
                work();
            }
        };
        worker.setDaemon(true);
        worker.start();
    }

    private void work() {
        Turn turn;
        while ((turn = next()) != null) {
            finish(turn, desk.answer(turn));
        }
    }

    private synchronized Turn next() {
        try {
            while (worker == Thread.currentThread() && state != ENDED && waiting.isEmpty()) {
                wait();
            }
        } catch (InterruptedException e) {
            // Only the watchdog interrupts, and it has replaced this worker.
            return null;
        }
        if (worker != Thread.currentThread() || state == ENDED) {
            return null;
        }
        running = waiting.remove();
        running.deadlineAt = clock.now() + running.request.deadlineMs;
        return running;
    }

    private synchronized void finish(Turn turn, Reply reply) {
        if (running == turn) {
            running = null;
            if (turn.request.op == Wire.STEP || turn.request.op == Wire.RESET) {
                lostInARow = 0;
            }
            deliver(turn, reply);
        }
    }

    private void deliver(Turn turn, Reply reply) {
        if (turn == lastStepTurn) {
            lastStepReply = reply;
        }
        if (turn.connection == connection && connection != null) {
            connection.reply(turn.replyId, reply);
        }
    }

    private void loseWorker() {
        Turn lost = running;
        running = null;
        lost.take();
        workersLost++;
        lostInARow++;
        boolean dead = lostInARow >= Wire.MAX_WORKERS_LOST;
        Thread hung = worker;
        AgentException why = dead
                ? new AgentException(AgentException.DEVICE_DEAD, lostInARow + " workers hung", where(hung))
                : new AgentException(AgentException.TIMEOUT, "no answer within " + lost.request.deadlineMs + " ms", where(hung));
        deliver(lost, Reply.error(lost.request.op, why));
        startWorker();
        hung.interrupt();
        if (dead) {
            end(Ending.DEVICE_DEAD);
        }
    }

    /** Where the worker hangs is what one wants to know about a time-out. */
    private static String where(Thread hung) {
        // The first line is all that some people see.
        StringBuilder out = new StringBuilder("hung");
        StackTraceElement[] stack = hung.getStackTrace();
        for (int i = 0; i < stack.length && i < 12; i++) {
            out.append(i == 0 ? " in " : "\n").append(stack[i]);
        }
        return out.toString();
    }

    private ByteWriter stat() {
        ByteWriter out = new ByteWriter();
        Desk.Times times = desk.times();
        out.uv(requests).uv(desk.steps()).uv(events.lastSeq()).uv(events.dropped()).uv(events.droppedFailures());
        out.uv(workersLost).uv(waiting.size()).uv(times.actUs).uv(times.settleUs).uv(times.treeUs);
        List<Backend.Missing> missing = new ArrayList<Backend.Missing>(desk.missing());
        int count = Math.min(missing.size(), Wire.MAX_SECTION_ITEMS);
        out.uv(count);
        for (int i = 0; i < count; i++) {
            out.uv(missing.get(i).cap).str(missing.get(i).reason);
        }
        return out;
    }
}
