package siamang.agent.jvm.robo;

import org.robolectric.res.android.ResXMLParser;

/** The attributes of one element of a layout, for the class that {@link TablePatches} makes Robolectric look for them with. */
public final class AttributeNames {
    private AttributeNames() {
    }

    /** The resources that name the attributes of the element that the parser is at. */
    public static int[] of(ResXMLParser parser) {
        return KnownElements.names(parser);
    }

    /** Where the first of them with this name is, or -1. An element has a handful, and they are in no order that can be relied on. */
    public static int indexOf(int[] names, int name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i] == name) {
                return i;
            }
        }
        return -1;
    }
}
