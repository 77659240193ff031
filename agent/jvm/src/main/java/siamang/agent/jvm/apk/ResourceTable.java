package siamang.agent.jvm.apk;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * aapt before about 2014 wrote a package header of 284 bytes, without typeIdOffset. Robolectric 4.16.1 believes that the
 * short header has 160 bytes and reads the missing field from what follows. Here the header is widened to 288 bytes.
 */
final class ResourceTable {
    private static final int TABLE = 0x002;
    private static final int TABLE_HEADER = 12;
    private static final int CHUNK_HEADER = 8;
    private static final int PACKAGE = 0x200;
    private static final int OLD_HEADER = 284;
    private static final int NEW_HEADER = 288;
    private static final int GROWN = NEW_HEADER - OLD_HEADER;
    private static final int TYPE_STRINGS = 268;
    private static final int KEY_STRINGS = 276;

    private ResourceTable() {
    }

    /** Refuses what no framework reads as a table: no phone would install the app. */
    static void check(byte[] table) throws BadApkException {
        ByteBuffer in = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        boolean whole = table.length >= TABLE_HEADER && (in.getShort(0) & 0xffff) == TABLE;
        int header = whole ? in.getShort(2) & 0xffff : 0;
        int end = whole ? in.getInt(4) : 0;
        whole &= header >= TABLE_HEADER && end >= header && end <= table.length;
        int at = header;
        while (whole && at + CHUNK_HEADER <= end) {
            int size = in.getInt(at + 4);
            whole = size >= CHUNK_HEADER && size <= end - at;
            at += size;
        }
        if (!whole) {
            throw new BadApkException("resources.arsc is no table of resources: the APK is corrupt, and no phone would install it");
        }
    }

    /** The table with wide headers; the same array if there is nothing to widen, or nothing that could be read. */
    static byte[] widened(byte[] table) {
        ByteBuffer in = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        if (table.length < 12) {
            return table;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(table.length + 64);
        int at = in.getShort(2) & 0xffff;
        if (at < 8 || at > table.length) {
            return table;
        }
        out.write(table, 0, at);
        boolean changed = false;
        while (at + 8 <= table.length) {
            int type = in.getShort(at) & 0xffff;
            int header = in.getShort(at + 2) & 0xffff;
            int size = in.getInt(at + 4);
            if (size < 8 || size > table.length - at) {
                return table;
            }
            if (type == PACKAGE && header == OLD_HEADER && size >= OLD_HEADER) {
                changed = true;
                ByteBuffer wide = ByteBuffer.allocate(NEW_HEADER).order(ByteOrder.LITTLE_ENDIAN);
                wide.put(table, at, OLD_HEADER);
                wide.putShort(2, (short) NEW_HEADER).putInt(4, size + GROWN);
                shift(wide, TYPE_STRINGS);
                shift(wide, KEY_STRINGS);
                out.write(wide.array(), 0, NEW_HEADER);
                out.write(table, at + OLD_HEADER, size - OLD_HEADER);
            } else {
                out.write(table, at, size);
            }
            at += size;
        }
        if (!changed) {
            return table;
        }
        byte[] result = out.toByteArray();
        ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN).putInt(4, result.length);
        return result;
    }

    private static void shift(ByteBuffer header, int field) {
        if (header.getInt(field) != 0) {
            header.putInt(field, header.getInt(field) + GROWN);
        }
    }
}
