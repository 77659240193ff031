package siamang.agent.jvm.robo;

import java.nio.ByteBuffer;

/** A resource table that leaves out what it does not have: pairs of an index and an offset, sorted by the index. */
public final class SparseTable {
    private static final int PAIR = 4;
    private static final int OFFSET_UNIT = 4;
    private static final int NO_ENTRY = -1;

    private SparseTable() {
    }

    /** Where the entry is, or -1 if there is none. Robolectric looks through all pairs; Android's tables have thousands. */
    public static int offset(ByteBuffer table, int start, int count, int index) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int found = Short.toUnsignedInt(table.getShort(start + middle * PAIR));
            if (found == index) {
                return Short.toUnsignedInt(table.getShort(start + middle * PAIR + 2)) * OFFSET_UNIT;
            }
            if (found < index) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return NO_ENTRY;
    }
}
