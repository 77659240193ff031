package siamang.agent.jvm.robo;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.robolectric.res.android.ResXMLParser;
import org.robolectric.res.android.ResourceTypes.ResXMLTree_attrExt;

/**
 * The element of a layout that a parser is at. Robolectric reads it anew, with all that belongs to it, whenever somebody asks
 * for anything of it, and a widget asks some hundred times. {@link ElementPatches} has it ask here.
 */
public final class KnownElements {
    /** A parser, which remembers the element that it is at. */
    public interface Reading {
        Object siamangElement();

        void siamangElement(Object element);
    }

    /** The head of an element, which remembers its attributes. */
    public interface Head {
        Object[] siamangAttributes();

        void siamangAttributes(Object[] attributes);

        /** As Robolectric does it. */
        Object siamangRead(int index);
    }

    private static final class Element {
        private final ByteBuffer document;
        private final int offset;
        private final ResXMLTree_attrExt head;
        private int[] names;

        Element(ByteBuffer document, int offset) {
            this.document = document;
            this.offset = offset;
            this.head = new ResXMLTree_attrExt(document, offset);
        }
    }

    private static final int[] NONE = {};
    /** As many attributes of one element are remembered. */
    private static final int MOST = 256;
    private static final int USUAL = 8;

    private KnownElements() {
    }

    /** Called in place of the constructor, with the parser behind its arguments. */
    public static ResXMLTree_attrExt head(ByteBuffer document, int offset, ResXMLParser parser) {
        Reading reading = (Reading) (Object) parser;
        if (reading.siamangElement() instanceof Element known && known.offset == offset && known.document == document) {
            return known.head;
        }
        Element element = new Element(document, offset);
        reading.siamangElement(element);
        return element.head;
    }

    /** Called in place of {@code ResXMLTree_attrExt.attributeAt}. */
    public static Object attribute(ResXMLTree_attrExt of, int index) {
        Head head = (Head) (Object) of;
        if (index < 0 || index >= MOST) {
            return head.siamangRead(index);
        }
        Object[] known = head.siamangAttributes();
        if (known == null || index >= known.length) {
            known = known == null ? new Object[Math.max(USUAL, index + 1)] : Arrays.copyOf(known, Math.max(known.length * 2, index + 1));
            head.siamangAttributes(known);
        }
        if (known[index] == null) {
            known[index] = head.siamangRead(index);
        }
        return known[index];
    }

    /** The resources that name the attributes of the element that the parser is at. */
    public static int[] names(ResXMLParser parser) {
        // This also has the parser remember the element.
        int count = parser == null ? 0 : parser.getAttributeCount();
        if (count == 0) {
            return NONE;
        }
        Element element = (Element) ((Reading) (Object) parser).siamangElement();
        if (element.names == null) {
            int[] names = new int[count];
            for (int i = 0; i < count; i++) {
                names[i] = parser.getAttributeNameResID(i);
            }
            element.names = names;
        }
        return element.names;
    }
}
