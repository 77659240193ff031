package siamang.agent.jvm.apk;

import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** How large an APK may be once it is unpacked: an archive of some MB can hold as many TB. */
final class Archive {
    /** The largest apps have some thirty thousand. */
    private static final int MOST_ENTRIES = 200_000;
    /** What is made of it must fit into a file of 1 GB, resources compressed and code converted. */
    private static final long MOST_BYTES = 3L << 30;

    private Archive() {
    }

    static void check(ZipFile zip) throws BadApkException {
        check(zip, MOST_ENTRIES, MOST_BYTES);
    }

    /** Looks at what the archive says of itself; who reads an entry sees to it that it is true. */
    static void check(ZipFile zip, int mostEntries, long mostBytes) throws BadApkException {
        if (zip.size() > mostEntries) {
            throw new BadApkException("it has " + zip.size() + " entries, and no app has more than " + mostEntries);
        }
        long sum = 0;
        for (ZipEntry entry : Collections.list(zip.entries())) {
            sum += Math.max(entry.getSize(), 0);
            if (sum > mostBytes) {
                throw new BadApkException("unpacked it is larger than " + (mostBytes >> 20) + " MB, which is more than is unpacked of any app");
            }
        }
    }
}
