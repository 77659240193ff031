package siamang.agent.jvm.robo.inside;

import android.content.ContentValues;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.graphics.Bitmap;
import android.net.Uri;
import android.os.Environment;
import android.os.ParcelFileDescriptor;
import android.provider.OpenableColumns;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The files that a file chooser offers: a text, a picture, those of the user, and new ones that the app may fill. */
public final class Documents extends HostProvider {
    static final String AUTHORITY = "siamang.files";
    private static final Uri TEXT = Uri.parse("content://" + AUTHORITY + "/document/1");
    private static final Uri PICTURE = Uri.parse("content://" + AUTHORITY + "/document/2");
    private static final byte[] WORDS = "A plain text.\nIt has two lines.\n".getBytes(StandardCharsets.UTF_8);
    private static final int PICTURE_SIZE = 64;

    /** Files at other addresses than their own, for as long as the app lives. */
    private static Map<Uri, Path> shown = new HashMap<>();
    private static int made;

    static void forget() {
        shown = new HashMap<>();
        made = 0;
    }

    static Uri usual(String type) {
        return type != null && type.startsWith("image/") ? PICTURE : TEXT;
    }

    /** A file that is not there until the app writes it; among the app's own, so that it goes with them. */
    static Uri fresh(String type) {
        made++;
        Uri uri = Uri.parse("content://" + AUTHORITY + "/new/" + made);
        shown.put(uri, outside("new-" + made));
        return uri;
    }

    /** A file of the user's at an address, or at one of ours if there is none. */
    static Uri at(Uri address, Path file) {
        Uri uri = address != null ? address : Uri.parse("content://" + AUTHORITY + "/given/" + file.getFileName());
        shown.put(uri, file);
        return uri;
    }

    /** What is at an address of whatever provider, or null. */
    static Path of(Uri uri) {
        return shown.get(uri);
    }

    static Path outside(String name) {
        return new File(Environment.getExternalStorageDirectory(), "Documents/" + name).toPath();
    }

    static ParcelFileDescriptor open(Path file, String mode) throws FileNotFoundException {
        if (!mode.equals("r")) {
            try {
                Files.createDirectories(file.getParent());
            } catch (IOException e) {
                throw new FileNotFoundException(String.valueOf(e));
            }
        }
        return ParcelFileDescriptor.open(file.toFile(), ParcelFileDescriptor.parseMode(mode));
    }

    @Override
    public ParcelFileDescriptor openFile(Uri uri, String mode) throws FileNotFoundException {
        return open(need(uri), mode);
    }

    private static Path need(Uri uri) throws FileNotFoundException {
        Path file = of(uri);
        if (file == null && (uri.equals(TEXT) || uri.equals(PICTURE))) {
            file = outside(uri.equals(TEXT) ? "text.txt" : "picture.png");
            try {
                Files.createDirectories(file.getParent());
                Files.write(file, uri.equals(TEXT) ? WORDS : picture());
            } catch (IOException e) {
                throw new FileNotFoundException(String.valueOf(e));
            }
            shown.put(uri, file);
        }
        if (file == null) {
            throw new FileNotFoundException("No such document: " + uri);
        }
        return file;
    }

    private static byte[] picture() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Bitmap.createBitmap(PICTURE_SIZE, PICTURE_SIZE, Bitmap.Config.ARGB_8888).compress(Bitmap.CompressFormat.PNG, 100, out);
        return out.toByteArray();
    }

    @Override
    public Cursor query(Uri uri, String[] projection, String selection, String[] arguments, String order) {
        String[] columns = projection == null ? new String[] {OpenableColumns.DISPLAY_NAME, OpenableColumns.SIZE} : projection;
        MatrixCursor cursor = new MatrixCursor(columns);
        try {
            Path file = need(uri);
            Object[] row = new Object[columns.length];
            for (int i = 0; i < row.length; i++) {
                row[i] = switch (columns[i]) {
                    case OpenableColumns.DISPLAY_NAME -> file.getFileName().toString();
                    case OpenableColumns.SIZE -> Files.exists(file) ? Files.size(file) : 0L;
                    case "mime_type" -> getType(uri);
                    default -> null;
                };
            }
            cursor.addRow(row);
        } catch (IOException e) {
            // No such document: no row.
            return cursor;
        }
        return cursor;
    }

    @Override
    public String getType(Uri uri) {
        return uri.equals(PICTURE) ? "image/png" : uri.equals(TEXT) ? "text/plain" : "application/octet-stream";
    }

    @Override
    public Uri insert(Uri uri, ContentValues values) {
        return null;
    }

    @Override
    public int delete(Uri uri, String selection, String[] arguments) {
        return 0;
    }

    @Override
    public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
        return 0;
    }
}
