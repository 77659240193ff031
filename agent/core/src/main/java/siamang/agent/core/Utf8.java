package siamang.agent.core;

import java.util.Arrays;

/**
 * Apps put anything into their texts. The platform's encoder writes '?' for a lone surrogate and cannot stop at a
 * limit, so this one writes U+FFFD and cuts between characters.
 */
final class Utf8 {
    private static final int REPLACEMENT = 0xFFFD;

    private Utf8() {
    }

    static byte[] encode(CharSequence text, int maxBytes) {
        int length = text.length();
        byte[] out = new byte[(int) Math.min((long) length * 3, maxBytes)];
        int size = 0;
        for (int i = 0; i < length; i++) {
            int point = codePoint(text, i, length);
            int need = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (size + need > out.length) {
                break;
            }
            if (need == 1) {
                out[size++] = (byte) point;
                continue;
            }
            int lead = need == 2 ? 0xC0 : need == 3 ? 0xE0 : 0xF0;
            out[size++] = (byte) (lead | point >> 6 * (need - 1));
            for (int shift = 6 * (need - 2); shift >= 0; shift -= 6) {
                out[size++] = (byte) (0x80 | point >> shift & 0x3F);
            }
            if (need == 4) {
                i++;
            }
        }
        return size == out.length ? out : Arrays.copyOf(out, size);
    }

    private static int codePoint(CharSequence text, int i, int length) {
        char c = text.charAt(i);
        if (!Character.isSurrogate(c)) {
            return c;
        }
        if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
            return Character.toCodePoint(c, text.charAt(i + 1));
        }
        return REPLACEMENT;
    }
}
