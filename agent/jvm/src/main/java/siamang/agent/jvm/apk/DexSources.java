package siamang.agent.jvm.apk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Reads from a dex which source file each class was compiled from: the converter keeps line numbers but drops the names. */
final class DexSources {
    private static final int STRING_IDS = 0x38;
    private static final int TYPE_IDS = 0x40;
    private static final int CLASS_DEFS = 0x60;
    private static final int CLASS_DEF_BYTES = 32;
    private static final int SOURCE_FILE = 16;

    private final ByteBuffer dex;

    private DexSources(byte[] bytes) {
        dex = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Adds {@code a.b.Class -> File.java} for each class that names its file. */
    static void read(byte[] bytes, Map<String, String> into) throws BadApkException {
        if (bytes.length < 0x70 || bytes[0] != 'd' || bytes[1] != 'e' || bytes[2] != 'x' || bytes[3] != '\n') {
            throw new BadApkException("classes.dex is no dex file: the APK is encrypted or corrupt");
        }
        try {
            new DexSources(bytes).classes(into);
        } catch (IndexOutOfBoundsException e) {
            throw new BadApkException("classes.dex is cut short or corrupt");
        }
    }

    private void classes(Map<String, String> into) {
        int count = dex.getInt(CLASS_DEFS);
        int first = dex.getInt(CLASS_DEFS + 4);
        for (int i = 0; i < count; i++) {
            int definition = first + i * CLASS_DEF_BYTES;
            int source = dex.getInt(definition + SOURCE_FILE);
            if (source != -1) {
                String type = string(dex.getInt(dex.getInt(TYPE_IDS + 4) + 4 * dex.getInt(definition)));
                into.put(type.substring(1, type.length() - 1).replace('/', '.'), string(source));
            }
        }
    }

    /** Names of classes and files are plain enough that modified UTF-8 and UTF-8 agree. */
    private String string(int index) {
        int at = dex.getInt(dex.getInt(STRING_IDS + 4) + 4 * index);
        while ((dex.get(at++) & 0x80) != 0) {
            // The length in UTF-16 units, of one to five bytes.
        }
        int end = at;
        while (dex.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - at];
        dex.get(at, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
