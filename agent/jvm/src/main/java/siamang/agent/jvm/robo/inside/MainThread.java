package siamang.agent.jvm.robo.inside;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.LinkedBlockingQueue;
import siamang.agent.core.AgentException;

/**
 * The thread that Android calls main. Work comes to it from the host's worker, one piece at a time; between two pieces
 * it stands still. A piece that takes too long is an ANR of the app.
 */
final class MainThread {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** A loop without end burns the processor. A phone grants five seconds; here classes are loaded and compiled in them too. */
    private static final long BUSY_NS = 8_000_000_000L;
    /** A thread that waits for something all the time; one that waits for a processor does not count. */
    private static final long STUCK_NS = 5_000_000_000L;
    private static final long LOOK_MS = 20;
    private static final long STOP_MS = 3_000;

    private final LinkedBlockingQueue<Piece> queue = new LinkedBlockingQueue<>();
    private final Thread thread = Thread.currentThread();
    private final JvmBackend device;
    private volatile boolean broken;

    /** Work that may throw what the app throws. */
    interface Work {
        void run() throws Exception;
    }

    private static final class Piece {
        private final Work work;
        private final boolean ofApp;
        private boolean done;
        private boolean begun;
        private long startCpu;
        private long waitingNs;
        private final NativeBlock block = new NativeBlock();
        private Throwable failure;

        Piece(Work work, boolean ofApp) {
            this.work = work;
            this.ofApp = ofApp;
        }
    }

    /** Made on the main thread itself. */
    MainThread(JvmBackend device) {
        this.device = device;
    }

    /** Works until the JVM ends. */
    void serve() {
        while (true) {
            try {
                work(queue.take());
            } catch (ThreadDeath | InterruptedException e) {
                // Stopped between two pieces, or late: what it was meant for is over.
                continue;
            }
        }
    }

    /** Whatever happens in it, a piece comes to its end: somebody waits for that, and would take its silence for the app's. */
    private void work(Piece piece) {
        begin(piece);
        try {
            piece.work.run();
        } catch (Throwable e) {
            piece.failure = e;
        }
        try {
            // A crash is handled here and not by the worker: the app's own handler expects the main thread.
            if (piece.failure != null && piece.ofApp) {
                device.crashes.caught(piece.failure, thread);
            }
        } catch (RuntimeException | LinkageError | VirtualMachineError e) {
            device.crashes.cannotTell(e);
        } finally {
            end(piece);
        }
    }

    /** Runs code of the app: what it throws ends the app's process, not the host. Nothing is done if it is dead. */
    void act(Work work) throws AgentException {
        if (!device.process().isDead()) {
            await(new Piece(work, true));
        }
    }

    /** Runs code of the host: what it throws is the host's failure. */
    void call(Work work) throws AgentException {
        Piece piece = new Piece(work, false);
        await(piece);
        if (piece.failure instanceof AgentException failure) {
            throw failure;
        }
        if (piece.failure != null) {
            throw new IllegalStateException(piece.failure);
        }
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** It hangs and could not be stopped: it does nothing any more. */
    boolean isBroken() {
        return broken;
    }

    StackTraceElement[] stack() {
        return thread.getStackTrace();
    }

    private void begin(Piece piece) {
        synchronized (piece) {
            piece.startCpu = THREADS.getCurrentThreadCpuTime();
            piece.begun = true;
        }
    }

    private static void end(Piece piece) {
        synchronized (piece) {
            piece.done = true;
            piece.notifyAll();
        }
    }

    private void await(Piece piece) throws AgentException {
        if (broken) {
            throw new AgentException(AgentException.DEVICE_DEAD, "the main thread hangs and cannot be stopped");
        }
        if (isCurrent()) {
            throw new IllegalStateException("the main thread would wait for itself");
        }
        queue.add(piece);
        boolean told = false;
        long stopAt = Long.MAX_VALUE;
        synchronized (piece) {
            while (!piece.done) {
                long before = System.nanoTime();
                try {
                    piece.wait(LOOK_MS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AgentException(AgentException.TIMEOUT, "the deadline passed while the main thread was busy");
                }
                if (!piece.done && !told && piece.begun && isHung(piece, System.nanoTime() - before)) {
                    told = true;
                    device.crashes.hangs(thread.getStackTrace());
                    stop();
                    stopAt = System.nanoTime() + STOP_MS * 1_000_000;
                }
                if (!piece.done && System.nanoTime() > stopAt) {
                    broken = true;
                    return;
                }
            }
        }
    }

    private boolean isHung(Piece piece, long sinceLastLook) {
        boolean runs = thread.getState() == Thread.State.RUNNABLE;
        long used = THREADS.getThreadCpuTime(thread.getId());
        piece.waitingNs = runs ? 0 : piece.waitingNs + sinceLastLook;
        if (!runs) {
            piece.block.restart();
        }
        return piece.waitingNs > STUCK_NS || used - piece.startCpu > BUSY_NS || runs && piece.block.look(used, thread::getStackTrace, sinceLastLook);
    }

    /** Gone from Java 20 on: then the piece never ends and the host is replaced. */
    @SuppressWarnings({"deprecation", "removal"})
    private void stop() {
        try {
            thread.stop();
        } catch (UnsupportedOperationException e) {
            thread.interrupt();
        }
        // Who waits for a connection hears of nothing else.
        ServerSockets.closeAll();
    }
}
