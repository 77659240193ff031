package siamang.conformance;

import android.content.ContentValues;
import android.content.Context;
import android.database.Cursor;
import android.database.sqlite.SQLiteDatabase;
import android.database.sqlite.SQLiteOpenHelper;
import android.os.Bundle;
import android.os.Environment;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;

/** A database, preferences, and files. */
public final class StorePage extends Page {
    private Base base;

    @Override
    void fill(Bundle saved) {
        base = new Base(this);
        show();
        on("save", new Act() {
            @Override
            public void go() throws IOException {
                getPreferences(MODE_PRIVATE).edit().putInt("kept", getPreferences(MODE_PRIVATE).getInt("kept", 0) + 1).commit();
                base.getWritableDatabase().insert("rows", null, new ContentValues(values()));
                try (FileOutputStream out = new FileOutputStream(new File(getFilesDir(), "kept"), true)) {
                    out.write('x');
                }
                try (FileOutputStream out = new FileOutputStream(new File(getExternalFilesDir(null), "kept"), true)) {
                    out.write('x');
                }
                show();
            }
        });
        on("where", new Act() {
            @Override
            public void go() {
                say("in " + getFilesDir() + ", " + getCacheDir() + ", " + getDatabasePath("rows") + ", " + getExternalFilesDir(null) + " and "
                        + Environment.getExternalStorageDirectory());
            }
        });
        on("exit at the next start", new Act() {
            @Override
            public void go() {
                getSharedPreferences("start", MODE_PRIVATE).edit().putBoolean("exit", true).commit();
                say("will exit");
            }
        });
    }

    private static ContentValues values() {
        ContentValues values = new ContentValues();
        values.put("word", "row");
        return values;
    }

    private void show() {
        int rows;
        try (Cursor cursor = base.getReadableDatabase().rawQuery("select count(*) from rows", null)) {
            cursor.moveToFirst();
            rows = cursor.getInt(0);
        }
        say("kept " + getPreferences(MODE_PRIVATE).getInt("kept", 0) + " rows " + rows + " bytes " + new File(getFilesDir(), "kept").length()
                + " outside " + new File(getExternalFilesDir(null), "kept").length());
    }

    @Override
    protected void onDestroy() {
        base.close();
        super.onDestroy();
    }

    private static final class Base extends SQLiteOpenHelper {
        Base(Context context) {
            super(context, "rows.db", null, 1);
        }

        @Override
        public void onCreate(SQLiteDatabase database) {
            database.execSQL("create table rows (word text)");
        }

        @Override
        public void onUpgrade(SQLiteDatabase database, int from, int to) {
        }
    }
}
