package siamang.agent.jvm.apk;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Reads Android's binary XML as a stream of elements: what a manifest needs and no more. */
final class BinaryXml {
    private static final int STRING_POOL = 0x001;
    private static final int RESOURCE_MAP = 0x180;
    private static final int START_ELEMENT = 0x102;
    private static final int END_ELEMENT = 0x103;
    private static final int TYPE_STRING = 0x03;
    private static final int TYPE_DECIMAL = 0x10;
    private static final int TYPE_HEX = 0x11;
    private static final int TYPE_BOOLEAN = 0x12;
    private static final int UTF8_POOL = 0x100;

    /** An attribute's name can be stripped from the pool; its resource id stays. */
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(0x01010003, "name"), Map.entry(0x0101020c, "minSdkVersion"), Map.entry(0x01010270, "targetSdkVersion"),
            Map.entry(0x01010202, "targetActivity"), Map.entry(0x0101057a, "appComponentFactory"), Map.entry(0x0101000e, "enabled"),
            Map.entry(0x01010026, "host"), Map.entry(0x01010027, "scheme"), Map.entry(0x0101028e, "required"),
            Map.entry(0x01010011, "process"), Map.entry(0x01010010, "exported"));

    private final ByteBuffer data;
    private String[] strings = {};
    private int[] resourceIds = {};

    private BinaryXml(byte[] bytes) {
        data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Hears of elements in the order of the file. Values are Strings, Integers, Booleans, or {@code @hex} for a reference. */
    interface Handler {
        void start(String tag, Map<String, Object> attributes);

        void end(String tag);
    }

    static void parse(byte[] bytes, Handler handler) throws BadApkException {
        try {
            new BinaryXml(bytes).chunks(handler);
        } catch (IndexOutOfBoundsException | BufferUnderflowException | NegativeArraySizeException e) {
            throw new BadApkException("AndroidManifest.xml is cut short or corrupt");
        }
    }

    private void chunks(Handler handler) throws BadApkException {
        int at = 8;
        while (at + 8 <= data.capacity()) {
            int type = data.getShort(at) & 0xffff;
            int header = data.getShort(at + 2) & 0xffff;
            int size = data.getInt(at + 4);
            if (size < 8 || size > data.capacity() - at) {
                throw new BadApkException("AndroidManifest.xml is cut short or corrupt");
            }
            switch (type) {
                case STRING_POOL -> readPool(at);
                case RESOURCE_MAP -> {
                    resourceIds = new int[(size - 8) / 4];
                    for (int i = 0; i < resourceIds.length; i++) {
                        resourceIds[i] = data.getInt(at + 8 + 4 * i);
                    }
                }
                case START_ELEMENT -> startElement(at + header, handler);
                case END_ELEMENT -> handler.end(string(data.getInt(at + header + 4)));
                default -> { }
            }
            at += size;
        }
    }

    private void startElement(int at, Handler handler) {
        int first = data.getShort(at + 8) & 0xffff;
        int size = data.getShort(at + 10) & 0xffff;
        int count = data.getShort(at + 12) & 0xffff;
        Map<String, Object> attributes = new HashMap<>();
        for (int i = 0; i < count; i++) {
            int attribute = at + first + i * size;
            int name = data.getInt(attribute + 4);
            String known = name >= 0 && name < resourceIds.length ? NAMES.get(resourceIds[name]) : null;
            attributes.put(known != null ? known : string(name), value(attribute));
        }
        handler.start(string(data.getInt(at + 4)), attributes);
    }

    private Object value(int attribute) {
        int raw = data.getInt(attribute + 8);
        int value = data.getInt(attribute + 16);
        switch (data.get(attribute + 15) & 0xff) {
            case TYPE_STRING:
                return string(value);
            case TYPE_DECIMAL:
            case TYPE_HEX:
                return value;
            case TYPE_BOOLEAN:
                return value != 0;
            default:
                return raw >= 0 ? string(raw) : "@" + Integer.toHexString(value);
        }
    }

    private String string(int index) {
        return index >= 0 && index < strings.length ? strings[index] : null;
    }

    private void readPool(int at) {
        int count = data.getInt(at + 8);
        if (count < 0 || count > data.capacity() / 4) {
            throw new IndexOutOfBoundsException();
        }
        boolean utf8 = (data.getInt(at + 16) & UTF8_POOL) != 0;
        int start = at + data.getInt(at + 20);
        strings = new String[count];
        for (int i = 0; i < count; i++) {
            int offset = start + data.getInt(at + 28 + 4 * i);
            strings[i] = utf8 ? utf8(offset) : utf16(offset);
        }
    }

    private String utf8(int at) {
        // First the length in UTF-16 units, which is not needed, then the length in bytes.
        at += (data.get(at) & 0x80) != 0 ? 2 : 1;
        int length = data.get(at) & 0xff;
        if ((length & 0x80) != 0) {
            length = (length & 0x7f) << 8 | data.get(at + 1) & 0xff;
            at++;
        }
        at++;
        byte[] bytes = new byte[length];
        data.get(at, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private String utf16(int at) {
        int length = data.getShort(at) & 0xffff;
        at += 2;
        if ((length & 0x8000) != 0) {
            length = (length & 0x7fff) << 16 | data.getShort(at) & 0xffff;
            at += 2;
        }
        if (length > data.capacity()) {
            throw new IndexOutOfBoundsException();
        }
        char[] chars = new char[length];
        for (int i = 0; i < length; i++) {
            chars[i] = data.getChar(at + 2 * i);
        }
        return new String(chars);
    }
}
