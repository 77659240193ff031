package siamang.conformance;

import android.content.ContentProvider;
import android.content.ContentValues;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.net.Uri;

/** Is there before the application's own onCreate. */
public final class FirstProvider extends ContentProvider {
    static boolean created;

    @Override
    public boolean onCreate() {
        created = true;
        return true;
    }

    @Override
    public Cursor query(Uri uri, String[] columns, String selection, String[] arguments, String order) {
        MatrixCursor cursor = new MatrixCursor(new String[] {"word"});
        cursor.addRow(new Object[] {"provided"});
        return cursor;
    }

    @Override
    public String getType(Uri uri) {
        return null;
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
