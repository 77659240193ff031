package siamang.agent.device;

import android.view.DisplayInfo;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import siamang.agent.core.Log;

/**
 * The size of the main display as the program {@code wm} tells it; its density nobody needs. For phones whose framework asks the app's own thread for its
 * configuration before it says what the display is like: the shell has no such thread.
 */
final class WmDisplay {
    private static final Pattern SIZE = Pattern.compile("size: (\\d{1,5})x(\\d{1,5})");

    private int[] upright;

    synchronized DisplayInfo turned(int rotation) {
        if (upright == null) {
            upright = read();
        }
        boolean lies = rotation % 2 == 1;
        DisplayInfo info = new DisplayInfo();
        info.rotation = rotation;
        info.logicalWidth = upright[lies ? 1 : 0];
        info.logicalHeight = upright[lies ? 0 : 1];
        return info;
    }

    private static int[] read() {
        try {
            return parse(Exec.run("wm", "size"));
        } catch (IOException e) {
            Log.note("the size of the screen is not known", e);
            return new int[2];
        }
    }

    /** Width and height of a screen that stands upright. What the user has set comes after what the maker has. */
    static int[] parse(String size) {
        int[] found = new int[2];
        for (Matcher line = SIZE.matcher(size); line.find(); ) {
            found[0] = Integer.parseInt(line.group(1));
            found[1] = Integer.parseInt(line.group(2));
        }
        return found;
    }
}
