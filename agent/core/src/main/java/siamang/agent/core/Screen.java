package siamang.agent.core;

import java.util.List;

/** All windows of one moment, topmost first, and the size they were laid out for. */
public final class Screen {
    public final int rotation;
    public final int width;
    public final int height;
    public final Top top;
    public final List<Window> windows;
    /** True if only the active window could be read. */
    public final boolean partial;

    public Screen(int rotation, int width, int height, Top top, List<Window> windows, boolean partial) {
        this.rotation = rotation;
        this.width = width;
        this.height = height;
        this.top = top;
        this.windows = windows;
        this.partial = partial;
    }
}
