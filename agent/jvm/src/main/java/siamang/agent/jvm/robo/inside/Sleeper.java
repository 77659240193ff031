package siamang.agent.jvm.robo.inside;

import java.util.concurrent.locks.LockSupport;

/** Who waits for a moment of device time, and how it is woken then. */
final class Sleeper {
    final long due;
    final Thread thread = Thread.currentThread();
    final Kind kind;
    /** In the order of their making, which only the makers of one thread have. */
    private final long number;
    private final Runnable bell;
    boolean woken;

    /** What a sleeper does. */
    enum Kind {
        ASLEEP,
        /** Others can wake it before its time. */
        PARKED,
        /** It waits in the JDK for something else, too: at its time it is interrupted, and knows that it was for this. */
        WAITING,
        /** No thread, but a bell to be rung. */
        BELL
    }

    Sleeper(long due, Kind kind) {
        this(due, kind, 0, null);
    }

    Sleeper(long due, long number, Runnable bell) {
        this(due, Kind.BELL, number, bell);
    }

    private Sleeper(long due, Kind kind, long number, Runnable bell) {
        this.due = due;
        this.kind = kind;
        this.number = number;
        this.bell = bell;
    }

    /** The caller holds the lock of all sleepers. */
    void wake() {
        woken = true;
        if (kind == Kind.PARKED) {
            LockSupport.unpark(thread);
        } else if (kind == Kind.WAITING) {
            thread.interrupt();
        }
    }

    /** The caller holds no lock: who rings takes those of what is rung for. */
    void ring() {
        if (bell != null) {
            bell.run();
        }
    }

    /** It says by itself that it goes on. The others may first have to wait for a lock, for as long as somebody holds it. */
    boolean answers() {
        return kind == Kind.ASLEEP || kind == Kind.PARKED;
    }

    boolean isBefore(Sleeper other) {
        if (due != other.due) {
            return due < other.due;
        }
        if ((kind == Kind.BELL) != (other.kind == Kind.BELL)) {
            return other.kind == Kind.BELL;
        }
        // Who was made first has the lower number.
        return kind == Kind.BELL ? number < other.number : thread.getId() < other.thread.getId();
    }
}
