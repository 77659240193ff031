package siamang.agent.tools;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Attr;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Turns an AndroidManifest.xml of an app without resources of its own into the binary form that an APK holds. The numbers of
 * attributes and of the framework's styles are read from android.R, which must be on the class path.
 */
final class BinaryManifest {
    private static final String ANDROID = "http://schemas.android.com/apk/res/android";
    private static final int NONE = -1;
    private static final int XML = 0x0003;
    private static final int STRING_POOL = 0x0001;
    private static final int RESOURCE_MAP = 0x0180;
    private static final int START_NAMESPACE = 0x0100;
    private static final int END_NAMESPACE = 0x0101;
    private static final int START_ELEMENT = 0x0102;
    private static final int END_ELEMENT = 0x0103;
    private static final int TYPE_REFERENCE = 0x01;
    private static final int TYPE_STRING = 0x03;
    private static final int TYPE_DECIMAL = 0x10;
    private static final int TYPE_HEX = 0x11;
    private static final int TYPE_BOOLEAN = 0x12;

    private static final Map<String, Integer> WORDS = new HashMap<>();

    static {
        WORDS.put("launchMode=standard", 0);
        WORDS.put("launchMode=singleTop", 1);
        WORDS.put("launchMode=singleTask", 2);
        WORDS.put("launchMode=singleInstance", 3);
        WORDS.put("configChanges=orientation", 0x80);
        WORDS.put("configChanges=screenSize", 0x400);
    }

    private final List<String> strings = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final List<Integer> ids = new ArrayList<>();
    private final ByteBuffer body = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);

    private BinaryManifest() {
    }

    static byte[] of(byte[] text) throws IOException {
        Element root;
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setNamespaceAware(true);
            root = factory.newDocumentBuilder().parse(new ByteArrayInputStream(text)).getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("the manifest cannot be read: " + e.getMessage(), e);
        }
        BinaryManifest manifest = new BinaryManifest();
        TreeMap<Integer, String> attributes = new TreeMap<>();
        manifest.collect(root, attributes);
        // Names with a number come first: the map of numbers goes by their place in the pool.
        for (Map.Entry<Integer, String> attribute : attributes.entrySet()) {
            manifest.string(attribute.getValue());
            manifest.ids.add(attribute.getKey());
        }
        manifest.namespace(START_NAMESPACE);
        manifest.element(root);
        manifest.namespace(END_NAMESPACE);
        return manifest.file();
    }

    private void collect(Element element, TreeMap<Integer, String> attributes) throws IOException {
        NamedNodeMap all = element.getAttributes();
        for (int i = 0; i < all.getLength(); i++) {
            if (ANDROID.equals(all.item(i).getNamespaceURI())) {
                attributes.put(number("attr", all.item(i).getLocalName()), all.item(i).getLocalName());
            }
        }
        for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element) {
                collect((Element) child, attributes);
            }
        }
    }

    private static int number(String type, String name) throws IOException {
        try {
            return Class.forName("android.R$" + type).getField(name.replace('.', '_')).getInt(null);
        } catch (ReflectiveOperationException e) {
            throw new IOException("android.R." + type + " has no " + name, e);
        }
    }

    private int string(String text) {
        Integer known = places.get(text);
        if (known == null) {
            known = strings.size();
            strings.add(text);
            places.put(text, known);
        }
        return known;
    }

    private void namespace(int type) {
        chunk(type, 24);
        body.putInt(string("android")).putInt(string(ANDROID));
    }

    private void chunk(int type, int size) {
        body.putShort((short) type).putShort((short) 16).putInt(size).putInt(1).putInt(NONE);
    }

    private void element(Element element) throws IOException {
        List<Attr> attributes = new ArrayList<>();
        NamedNodeMap all = element.getAttributes();
        for (int i = 0; i < all.getLength(); i++) {
            if (!"http://www.w3.org/2000/xmlns/".equals(all.item(i).getNamespaceURI())) {
                attributes.add((Attr) all.item(i));
            }
        }
        // The framework merges them with its own sorted lists.
        attributes.sort((one, other) -> Integer.compareUnsigned(order(one), order(other)));
        chunk(START_ELEMENT, 36 + 20 * attributes.size());
        body.putInt(NONE).putInt(string(element.getTagName())).putShort((short) 20).putShort((short) 20)
                .putShort((short) attributes.size()).putShort((short) 0).putShort((short) 0).putShort((short) 0);
        for (Attr attribute : attributes) {
            attribute(attribute);
        }
        for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element) {
                element((Element) child);
            }
        }
        chunk(END_ELEMENT, 24);
        body.putInt(NONE).putInt(string(element.getTagName()));
    }

    private int order(Attr attribute) {
        int place = places.containsKey(attribute.getLocalName()) ? places.get(attribute.getLocalName()) : NONE;
        return place >= 0 && place < ids.size() ? ids.get(place) : NONE;
    }

    private void attribute(Attr attribute) throws IOException {
        String name = attribute.getLocalName();
        String value = attribute.getValue();
        int type = TYPE_STRING;
        int data = 0;
        if (value.startsWith("@android:")) {
            type = TYPE_REFERENCE;
            int slash = value.indexOf('/');
            data = number(value.substring("@android:".length(), slash), value.substring(slash + 1));
        } else if (name.equals("launchMode") || name.equals("configChanges")) {
            type = TYPE_HEX;
            for (String word : value.split("\\|")) {
                data |= WORDS.get(name + "=" + word);
            }
        } else if (value.equals("true") || value.equals("false")) {
            type = TYPE_BOOLEAN;
            data = value.equals("true") ? NONE : 0;
        } else if (value.matches("[0-9]+")) {
            type = TYPE_DECIMAL;
            data = Integer.parseInt(value);
        }
        int raw = type == TYPE_STRING ? string(value) : NONE;
        body.putInt(attribute.getNamespaceURI() == null ? NONE : string(ANDROID)).putInt(string(name)).putInt(raw)
                .putShort((short) 8).put((byte) 0).put((byte) type).putInt(type == TYPE_STRING ? raw : data);
    }

    private byte[] file() {
        int pool = 28 + 4 * strings.size();
        int start = pool;
        for (String text : strings) {
            pool += 4 + 2 * text.length();
        }
        pool = (pool + 3) & ~3;
        int map = 8 + 4 * ids.size();
        ByteBuffer file = ByteBuffer.allocate(8 + pool + map + body.position()).order(ByteOrder.LITTLE_ENDIAN);
        file.putShort((short) XML).putShort((short) 8).putInt(file.capacity());
        file.putShort((short) STRING_POOL).putShort((short) 28).putInt(pool).putInt(strings.size()).putInt(0).putInt(0).putInt(start).putInt(0);
        int offset = 0;
        for (String text : strings) {
            file.putInt(offset);
            offset += 4 + 2 * text.length();
        }
        for (String text : strings) {
            file.putShort((short) text.length()).put(text.getBytes(StandardCharsets.UTF_16LE)).putShort((short) 0);
        }
        file.position(8 + pool);
        file.putShort((short) RESOURCE_MAP).putShort((short) 8).putInt(map);
        for (int id : ids) {
            file.putInt(id);
        }
        body.flip();
        file.put(body);
        return file.array();
    }
}
