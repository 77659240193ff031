package siamang.agent.jvm.robo.inside;

import android.content.ContentUris;
import android.content.ContentValues;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.net.Uri;
import android.os.ParcelFileDescriptor;
import android.provider.CalendarContract;
import android.provider.CallLog;
import android.provider.ContactsContract;
import android.provider.MediaStore;
import java.io.FileNotFoundException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the system's own apps keep on a phone: nothing, as on a new one, but the one person that a user picks. Without it a
 * query would come back as null, which no phone does and few apps bear.
 */
public final class OtherData extends HostProvider {
    static final Uri FIRST_CONTACT = ContentUris.withAppendedId(ContactsContract.Contacts.CONTENT_URI, 1);
    static final String AUTHORITIES = String.join(";", ContactsContract.AUTHORITY, "contacts", CallLog.AUTHORITY, MediaStore.AUTHORITY,
            CalendarContract.AUTHORITY, "sms", "mms", "mms-sms", "user_dictionary", "downloads");
    private static final String NAME = "Ada Lovelace";
    private static final Pattern COLUMN = Pattern.compile("[a-z][a-z0-9_]*|_[a-z0-9_]+");
    /** Whose constants name the columns that are there when nobody says which are wanted. */
    private static final Map<String, List<Class<?>>> COLUMNS = Map.of(
            ContactsContract.AUTHORITY, List.of(ContactsContract.Contacts.class, ContactsContract.Data.class),
            CallLog.AUTHORITY, List.of(CallLog.Calls.class),
            MediaStore.AUTHORITY, List.of(MediaStore.Images.ImageColumns.class, MediaStore.Audio.AudioColumns.class, MediaStore.Video.VideoColumns.class),
            CalendarContract.AUTHORITY, List.of(CalendarContract.Events.class));

    /** The first is the one that is picked. */
    private static long lastId = 1;

    static void forget() {
        lastId = 1;
    }

    @Override
    public Cursor query(Uri uri, String[] projection, String selection, String[] arguments, String order) {
        String[] columns = projection == null ? usual(uri) : projection;
        MatrixCursor cursor = new MatrixCursor(columns);
        long id = idOf(uri);
        if (id >= 1 && id <= lastId) {
            Object[] row = new Object[columns.length];
            for (int i = 0; i < row.length; i++) {
                row[i] = value(columns[i], id);
            }
            cursor.addRow(row);
        }
        return cursor;
    }

    private static Object value(String column, long id) {
        if (column.equals("_id") || column.equals("contact_id") || column.equals("lookup")) {
            return id;
        }
        if (column.startsWith("display_name") || column.equals("_display_name") || column.equals("title") || column.equals("name")) {
            return NAME;
        }
        return column.startsWith("has_") || column.equals("_count") || column.equals("_size") ? 0 : null;
    }

    private static long idOf(Uri uri) {
        // The picked person may be looked up by name and number, and have parts.
        for (String segment : uri.getPathSegments()) {
            if (!segment.isEmpty() && segment.length() < 10 && segment.chars().allMatch(Character::isDigit)) {
                return Long.parseLong(segment);
            }
        }
        return -1;
    }

    private static String[] usual(Uri uri) {
        Set<String> columns = new LinkedHashSet<>(List.of("_id", "_count"));
        for (Class<?> type : COLUMNS.getOrDefault(uri.getAuthority(), List.of())) {
            for (Field field : type.getFields()) {
                try {
                    // Some are inherited from interfaces that are not public themselves.
                    field.setAccessible(true);
                    if (field.getType() == String.class && COLUMN.matcher((String) field.get(null)).matches()) {
                        columns.add((String) field.get(null));
                    }
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        return columns.toArray(new String[0]);
    }

    @Override
    public String getType(Uri uri) {
        return (idOf(uri) < 0 ? "vnd.android.cursor.dir/" : "vnd.android.cursor.item/") + uri.getPathSegments().stream().findFirst().orElse("item");
    }

    @Override
    public Uri insert(Uri uri, ContentValues values) {
        return ContentUris.withAppendedId(uri, ++lastId);
    }

    @Override
    public int delete(Uri uri, String selection, String[] arguments) {
        return idOf(uri) < 0 ? 0 : 1;
    }

    @Override
    public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
        return idOf(uri) < 0 ? 0 : 1;
    }

    /** Such as a picture that the app has entered and now writes. */
    @Override
    public ParcelFileDescriptor openFile(Uri uri, String mode) throws FileNotFoundException {
        Path file = Documents.of(uri);
        return Documents.open(file != null ? file : Documents.outside(uri.toString().replaceAll("[^A-Za-z0-9]+", "-")), mode);
    }
}
