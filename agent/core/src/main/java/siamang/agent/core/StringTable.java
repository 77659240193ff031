package siamang.agent.core;

import java.util.HashMap;
import java.util.Map;

/** Each distinct string of a tree once; most nodes share class, package and id with others. */
final class StringTable {
    /** A page of long texts must not push the tree over the frame limit. */
    static final int MAX_TOTAL_BYTES = 4 * 1024 * 1024;

    private final Map<String, Integer> refs = new HashMap<String, Integer>();
    private final ByteWriter out = new ByteWriter(4096);
    private boolean cut;

    /** The reference of a string: 0 if it is absent, else its index + 1. */
    int ref(CharSequence text) {
        if (text == null) {
            return 0;
        }
        String key = text.toString();
        Integer known = refs.get(key);
        if (known != null) {
            return known;
        }
        if (refs.size() == Wire.MAX_LIST) {
            cut = true;
            return 0;
        }
        int room = Math.min(Wire.MAX_STRING_BYTES, MAX_TOTAL_BYTES - out.size());
        byte[] utf8 = Utf8.encode(key, Math.max(0, room));
        // Three bytes for one char is the most UTF-8 needs, so only a string near the limit can have been cut.
        if ((long) key.length() * 3 > room && !endsWithin(key, room)) {
            cut = true;
        }
        out.bytes(utf8);
        int ref = refs.size() + 1;
        refs.put(key, ref);
        return ref;
    }

    boolean cut() {
        return cut;
    }

    void writeTo(ByteWriter to) {
        to.uv(refs.size()).append(out);
    }

    private static boolean endsWithin(String text, int room) {
        long need = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1));
            need += c < 0x80 ? 1 : c < 0x800 ? 2 : pair ? 4 : 3;
            if (pair) {
                i++;
            }
        }
        return need <= room;
    }
}
