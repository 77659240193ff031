package siamang.agent.jvm.apk;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Who signed an APK, as apps ask for it: the certificate of the first signer. Whether the signature holds is the installer's
 * business and is not looked at.
 */
final class Certificates {
    private static final byte[] MAGIC = "APK Sig Block 42".getBytes(StandardCharsets.US_ASCII);
    private static final int END_OF_ARCHIVE = 0x06054b50;
    private static final int END_BYTES = 22;
    private static final int MAX_COMMENT = 0xffff;
    private static final int SCHEME_2 = 0x7109871a;
    private static final int SCHEME_3 = 0xf05368c0;

    private Certificates() {
    }

    /** Null if nobody did, or in a way that is not understood. */
    static byte[] first(ZipFile zip, Path apk) throws IOException, BadApkException {
        byte[] found = fromBlock(Files.readAllBytes(apk));
        return found != null ? found : fromEntries(zip);
    }

    /** The first scheme: a file beside the manifest of the jar. */
    private static byte[] fromEntries(ZipFile zip) throws IOException, BadApkException {
        for (ZipEntry entry : Collections.list(zip.entries())) {
            if (entry.getName().matches("META-INF/[^/]*\\.(RSA|DSA|EC)")) {
                try {
                    CertificateFactory factory = CertificateFactory.getInstance("X.509");
                    for (Certificate certificate : factory.generateCertificates(new ByteArrayInputStream(Prepare.bytes(zip, entry)))) {
                        return certificate.getEncoded();
                    }
                } catch (CertificateException e) {
                    return null;
                }
            }
        }
        return null;
    }

    /** The later schemes: a block before the archive's directory. */
    static byte[] fromBlock(byte[] apk) {
        ByteBuffer all = ByteBuffer.wrap(apk).order(ByteOrder.LITTLE_ENDIAN);
        int end = all.limit() - END_BYTES;
        while (end >= 0 && end >= all.limit() - END_BYTES - MAX_COMMENT && all.getInt(end) != END_OF_ARCHIVE) {
            end--;
        }
        if (end < 0 || all.getInt(end) != END_OF_ARCHIVE) {
            return null;
        }
        try {
            int directory = all.getInt(end + 16);
            if (!all.slice(directory - MAGIC.length, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
                return null;
            }
            long size = all.getLong(directory - MAGIC.length - 8);
            ByteBuffer block = slice(all, directory - (int) size, (int) size - MAGIC.length - 8);
            while (block.hasRemaining()) {
                long length = block.getLong();
                if (length < Integer.BYTES || length > block.remaining()) {
                    return null;
                }
                int next = block.position() + (int) length;
                int id = block.getInt();
                if (id == SCHEME_2 || id == SCHEME_3) {
                    return inScheme(slice(block, block.position(), next - block.position()));
                }
                block.position(next);
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            // Not as such a block is built; the first scheme may tell more.
            return null;
        }
        return null;
    }

    /** Signers, the first of them, its signed data; of these the certificates after the digests. */
    private static byte[] inScheme(ByteBuffer value) {
        ByteBuffer signed = part(part(part(value)));
        part(signed);
        ByteBuffer certificate = part(part(signed));
        byte[] bytes = new byte[certificate.remaining()];
        certificate.get(bytes);
        return bytes;
    }

    /** What follows its own length. */
    private static ByteBuffer part(ByteBuffer from) {
        int length = from.getInt();
        ByteBuffer part = slice(from, from.position(), length);
        from.position(from.position() + length);
        return part;
    }

    private static ByteBuffer slice(ByteBuffer of, int from, int length) {
        return of.slice(from, length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
