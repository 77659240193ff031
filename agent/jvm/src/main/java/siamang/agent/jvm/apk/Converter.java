package siamang.agent.jvm.apk;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

/**
 * The classes of dex2jar, which brings an ASM of its own and so has a loader of its own. One of them is mended as it is
 * loaded: a comparison whose first operand is zero loses it, and {@code 0 > x} becomes {@code x > 0}. Every loop that Kotlin
 * makes of a range from zero begins with one.
 */
final class Converter extends URLClassLoader {
    private static final String MENDED = "com.googlecode.d2j.converter.IR2JConverter";
    /** aload 5, which is the first operand, and the call that asks whether it is zero; the last two bytes number the method. */
    private static final byte[] ASKS = {0x19, 5, (byte) 0xb8, 0x01, (byte) 0xf5};
    /** The answer no: then both operands are compared as they stand, which is always right. */
    private static final byte[] NO = {0x03, 0, 0, 0, 0};
    /** For numbers and for references. */
    private static final int PLACES = 2;

    Converter(URL[] jars) {
        super(jars, ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (!name.equals(MENDED)) {
            return super.findClass(name);
        }
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            byte[] bytes = mend(in.readAllBytes());
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    static byte[] mend(byte[] bytes) {
        int found = 0;
        for (int at = 0; at + ASKS.length <= bytes.length; at++) {
            if (Arrays.equals(bytes, at, at + ASKS.length, ASKS, 0, ASKS.length)) {
                System.arraycopy(NO, 0, bytes, at, NO.length);
                found++;
            }
        }
        if (found != PLACES) {
            throw new IllegalStateException(MENDED + " has " + found + " places to mend and not " + PLACES + ": this is not the converter that the host was made for");
        }
        return bytes;
    }
}
