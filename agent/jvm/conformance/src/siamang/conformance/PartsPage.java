package siamang.conformance;

import android.app.AlarmManager;
import android.app.PendingIntent;
import android.content.ActivityNotFoundException;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.pm.PackageManager;
import android.database.Cursor;
import android.net.Uri;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.IBinder;
import android.os.SystemClock;
import android.provider.MediaStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;

/** Services, receivers, providers, alarms, background work, and other apps. */
public final class PartsPage extends Page implements ServiceConnection {
    private static final Intent COUNT = new Intent("siamang.conformance.COUNT").setPackage("siamang.conformance");

    @Override
    void fill(Bundle saved) {
        say("parts");
        on("log", new Act() {
            @Override
            public void go() {
                say(App.LOG.toString());
            }
        });
        on("clear log", new Act() {
            @Override
            public void go() {
                App.LOG.setLength(0);
                say("cleared");
            }
        });
        on("start service", new Act() {
            @Override
            public void go() {
                startService(new Intent(PartsPage.this, CountService.class));
            }
        });
        on("stop service", new Act() {
            @Override
            public void go() {
                stopService(new Intent(PartsPage.this, CountService.class));
            }
        });
        on("bind", new Act() {
            @Override
            public void go() {
                bindService(new Intent(PartsPage.this, CountService.class), PartsPage.this, Context.BIND_AUTO_CREATE);
            }
        });
        on("unbind", new Act() {
            @Override
            public void go() {
                unbindService(PartsPage.this);
            }
        });
        on("broadcast", new Act() {
            @Override
            public void go() {
                sendBroadcast(new Intent(COUNT).putExtra("from", "page"));
            }
        });
        on("alarm", new Act() {
            @Override
            public void go() {
                PendingIntent later = PendingIntent.getBroadcast(PartsPage.this, 0, new Intent(COUNT).putExtra("from", "alarm"), 0);
                AlarmManager alarms = (AlarmManager) getSystemService(Context.ALARM_SERVICE);
                alarms.set(AlarmManager.ELAPSED_REALTIME, SystemClock.elapsedRealtime() + 60_000, later);
                say("alarm set");
            }
        });
        on("query", new Act() {
            @Override
            public void go() {
                try (Cursor cursor = getContentResolver().query(Uri.parse("content://siamang.conformance.first/word"), null, null, null, null)) {
                    cursor.moveToFirst();
                    say(cursor.getString(0));
                }
            }
        });
        on("signature", new Act() {
            @Override
            public void go() throws Exception {
                PackageManager packages = getPackageManager();
                byte[] signer = packages.getPackageInfo(getPackageName(), PackageManager.GET_SIGNATURES).signatures[0].toByteArray();
                byte[] same = packages.getPackageInfo(getPackageName(), PackageManager.GET_SIGNING_CERTIFICATES).signingInfo.getApkContentsSigners()[0].toByteArray();
                X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(signer));
                say("signed by " + certificate.getSubjectX500Principal() + " " + Arrays.equals(signer, same));
            }
        });
        on("task", new Act() {
            @Override
            public void go() {
                new Task().execute();
            }
        });
        on("thread", new Act() {
            @Override
            public void go() {
                new Thread(new Runnable() {
                    @Override
                    public void run() {
                        try {
                            Thread.sleep(50);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        runOnUiThread(new Runnable() {
                            @Override
                            public void run() {
                                say("thread done");
                            }
                        });
                    }
                }).start();
            }
        });
        foreign("pick", new Intent(Intent.ACTION_PICK, Uri.parse("content://com.android.contacts/contacts")));
        foreign("file", new Intent(Intent.ACTION_GET_CONTENT).setType("text/plain"));
        foreign("camera", new Intent(MediaStore.ACTION_IMAGE_CAPTURE));
        foreign("browse", new Intent(Intent.ACTION_VIEW, Uri.parse("http://example.com/")));
        foreign("share", new Intent(Intent.ACTION_SEND).setType("text/plain").putExtra(Intent.EXTRA_TEXT, "shared"));
        foreign("market", new Intent(Intent.ACTION_VIEW, Uri.parse("market://details?id=siamang")));
    }

    /** Asks another app. */
    private void foreign(String text, final Intent intent) {
        on(text, new Act() {
            @Override
            public void go() {
                try {
                    startActivityForResult(intent, 9);
                } catch (ActivityNotFoundException e) {
                    say("nobody");
                }
            }
        });
    }

    @Override
    protected void onActivityResult(int request, int result, Intent data) {
        Uri uri = data == null ? null : data.getData();
        say("came back with " + result + " " + uri + " " + (data != null && data.hasExtra("data"))
                + (data == null ? "" : " extras " + data.getStringExtra("word") + " " + data.getIntExtra("number", 0))
                + (uri == null ? "" : " named " + name(uri) + " reads " + read(uri)));
    }

    private String name(Uri uri) {
        String column = uri.getAuthority().endsWith("contacts") ? "display_name" : "_display_name";
        try (Cursor cursor = getContentResolver().query(uri, null, null, null, null)) {
            return cursor.moveToFirst() ? cursor.getString(cursor.getColumnIndexOrThrow(column)) : "nothing";
        }
    }

    private String read(Uri uri) {
        byte[] bytes = new byte[100];
        try (InputStream in = getContentResolver().openInputStream(uri)) {
            return new String(bytes, 0, in.read(bytes), "UTF-8").replace('\n', ' ');
        } catch (IOException e) {
            return "nothing";
        }
    }

    @Override
    public void onServiceConnected(ComponentName name, IBinder binder) {
        say("bound, started " + ((CountService.Door) binder).service().started);
    }

    @Override
    public void onServiceDisconnected(ComponentName name) {
        say("unbound");
    }

    /** Works elsewhere and reports here. */
    private final class Task extends AsyncTask<Void, Void, String> {
        @Override
        protected String doInBackground(Void... nothing) {
            return "task done";
        }

        @Override
        protected void onPostExecute(String result) {
            say(result);
        }
    }
}
