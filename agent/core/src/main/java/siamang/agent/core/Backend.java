package siamang.agent.core;

import java.util.List;

/**
 * What differs between a phone and a JVM. Core owns the protocol, the tree's form, the shape of gestures and the order of
 * a step; a backend reads nodes, injects samples and controls apps. All methods but {@link #close} are called by one
 * worker at a time; a hung worker is interrupted and replaced, so each must give up when interrupted.
 */
public interface Backend {
    Facts facts();

    Clock clock();

    Eyes eyes();

    Fingers fingers();

    Apps apps();

    /** Starts to watch; from here on failures, activities and toasts go to {@code events}, from any thread. */
    void open(EventSink events) throws AgentException;

    /** Returns the flags in force, which may be fewer than asked. */
    long configure(Config config) throws AgentException;

    /** 0 to 3, or {@link Wire#ROTATION_FREE}. Returns the rotation that now holds. */
    int rotate(int rotation) throws AgentException;

    ScreenState screenState(int todo) throws AgentException;

    /** Adds what only this backend saw during the step: coverage, callbacks, intents. Adds nothing where it sees nothing. */
    void testify(StepAnswer answer);

    /** Why capabilities are missing, for STAT. */
    List<Missing> missing();

    /** Undoes every change and lets go of the device. Called once, possibly while a worker hangs. */
    void close();

    /** What HELLO says. */
    final class Facts {
        public final int backend;
        public final int sdk;
        public final int width;
        public final int height;
        public final int density;
        public final int rotation;
        public final long caps;

        public Facts(int backend, int sdk, int width, int height, int density, int rotation, long caps) {
            this.backend = backend;
            this.sdk = sdk;
            this.width = width;
            this.height = height;
            this.density = density;
            this.rotation = rotation;
            this.caps = caps;
        }
    }

    /** A capability that is missing, and why. */
    final class Missing {
        public final int cap;
        public final String reason;

        public Missing(int cap, String reason) {
            this.cap = cap;
            this.reason = reason;
        }
    }

    /** The answer to SCREEN. */
    final class ScreenState {
        public static final int DO_WAKE = 1;
        public static final int DO_DISMISS_KEYGUARD = 2;
        public static final int DO_HIDE_KEYBOARD = 4;
        public static final int IS_ON = 1;
        public static final int IS_LOCKED = 2;
        public static final int IS_KEYBOARD_SHOWN = 4;

        public final int is;
        public final int rotation;
        public final int width;
        public final int height;

        public ScreenState(int is, int rotation, int width, int height) {
            this.is = is;
            this.rotation = rotation;
            this.width = width;
            this.height = height;
        }
    }
}
