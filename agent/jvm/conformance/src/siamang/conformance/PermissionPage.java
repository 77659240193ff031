package siamang.conformance;

import android.Manifest;
import android.content.pm.PackageManager;
import android.os.Bundle;

/** What the user is asked, and what an app hears of the answer. */
public final class PermissionPage extends Page {
    @Override
    void fill(Bundle saved) {
        say("permissions");
        asks("camera", 5, Manifest.permission.CAMERA);
        asks("place and sound", 6, Manifest.permission.ACCESS_FINE_LOCATION, Manifest.permission.RECORD_AUDIO, Manifest.permission.ACCESS_COARSE_LOCATION);
        asks("not declared", 7, Manifest.permission.READ_CONTACTS);
        asks("never asked", 8, Manifest.permission.INTERNET);
        on("look", new Act() {
            @Override
            public void go() {
                say("camera " + (checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED)
                        + " explain " + shouldShowRequestPermissionRationale(Manifest.permission.CAMERA));
            }
        });
        on("log", new Act() {
            @Override
            public void go() {
                say(App.LOG.toString());
                App.LOG.setLength(0);
            }
        });
    }

    private void asks(String text, final int code, final String... names) {
        on(text, new Act() {
            @Override
            public void go() {
                requestPermissions(names, code);
            }
        });
    }

    @Override
    public void onRequestPermissionsResult(int request, String[] names, int[] results) {
        StringBuilder text = new StringBuilder("answer " + request);
        for (int result : results) {
            text.append(result == PackageManager.PERMISSION_GRANTED ? " yes" : " no");
        }
        App.log(name() + ".answer");
        say(text.toString());
    }
}
