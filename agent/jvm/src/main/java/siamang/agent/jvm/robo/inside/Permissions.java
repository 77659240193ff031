package siamang.agent.jvm.robo.inside;

import android.app.Application;
import android.os.Build;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import siamang.agent.jvm.apk.Manifest;

/**
 * What the user has allowed and denied, kept as a phone keeps it: until the app's data go. Other permissions than those of
 * the table below are given with the installation, and so are all of them to an app that was made before there were questions.
 */
final class Permissions {
    private static final String PREFIX = "android.permission.";
    /** A phone of today takes a second denial for "don't ask again". */
    private static final int FOR_GOOD = 2;

    /** What a question is about, in its words, and the permissions that one answer decides. */
    private static final Map<String, String[]> GROUPS = new TreeMap<>(Map.ofEntries(
            Map.entry("access your calendar", new String[] {"READ_CALENDAR", "WRITE_CALENDAR"}),
            Map.entry("access your call logs", new String[] {"READ_CALL_LOG", "WRITE_CALL_LOG", "PROCESS_OUTGOING_CALLS"}),
            Map.entry("take pictures and record video", new String[] {"CAMERA"}),
            Map.entry("access your contacts", new String[] {"READ_CONTACTS", "WRITE_CONTACTS", "GET_ACCOUNTS"}),
            Map.entry("access this device's location", new String[] {"ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION"}),
            Map.entry("access this device's location all the time", new String[] {"ACCESS_BACKGROUND_LOCATION"}),
            Map.entry("record audio", new String[] {"RECORD_AUDIO"}),
            Map.entry("make and manage phone calls", new String[] {"READ_PHONE_STATE", "READ_PHONE_NUMBERS", "CALL_PHONE", "ANSWER_PHONE_CALLS",
                "ADD_VOICEMAIL", "USE_SIP", "ACCEPT_HANDOVER"}),
            Map.entry("access sensor data about your vital signs", new String[] {"BODY_SENSORS", "BODY_SENSORS_BACKGROUND"}),
            Map.entry("access your physical activity", new String[] {"ACTIVITY_RECOGNITION"}),
            Map.entry("send and view SMS messages", new String[] {"SEND_SMS", "RECEIVE_SMS", "READ_SMS", "RECEIVE_WAP_PUSH", "RECEIVE_MMS"}),
            Map.entry("access files on your device", new String[] {"READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE", "ACCESS_MEDIA_LOCATION"}),
            Map.entry("access photos and videos on this device", new String[] {"READ_MEDIA_IMAGES", "READ_MEDIA_VIDEO", "READ_MEDIA_VISUAL_USER_SELECTED"}),
            Map.entry("access music and audio on this device", new String[] {"READ_MEDIA_AUDIO"}),
            Map.entry("find, connect to and determine the position of nearby devices", new String[] {"BLUETOOTH_SCAN", "BLUETOOTH_CONNECT",
                "BLUETOOTH_ADVERTISE", "UWB_RANGING", "NEARBY_WIFI_DEVICES"}),
            Map.entry("send you notifications", new String[] {"POST_NOTIFICATIONS"})));
    private static final Map<String, String> GROUP_OF = new HashMap<>();

    static {
        GROUPS.forEach((group, names) -> {
            for (String name : names) {
                GROUP_OF.put(PREFIX + name, group);
            }
        });
    }

    private final Manifest manifest;
    private final Path file;
    private final Set<String> granted = new TreeSet<>();
    private final Map<String, Integer> denials = new TreeMap<>();

    /** {@code file} goes and comes with the app's data. */
    Permissions(Manifest manifest, Path file) {
        this.manifest = manifest;
        this.file = file;
    }

    /** A new process knows nothing yet: it gets what it was given and what the user has said. */
    void apply(Application app) {
        load();
        List<String> given = new ArrayList<>(granted);
        for (String name : manifest.permissions) {
            if (!isAsked(name)) {
                given.add(name);
            }
        }
        Shadows.shadowOf(app).grantPermissions(given.toArray(new String[0]));
        denials.forEach(Permissions::explain);
    }

    private boolean isAsked(String name) {
        return manifest.targetSdk() >= Build.VERSION_CODES.M && GROUP_OF.containsKey(name);
    }

    boolean isGranted(String name) {
        return manifest.permissions.contains(name) && (!isAsked(name) || granted.contains(name));
    }

    /** What the user must be asked about before these can be answered; of each group once. */
    Set<String> questions(String[] names) {
        Set<String> open = new TreeSet<>();
        for (String name : names) {
            if (manifest.permissions.contains(name) && !isGranted(name) && denials.getOrDefault(name, 0) < FOR_GOOD) {
                open.add(GROUP_OF.get(name));
            }
        }
        return open;
    }

    /** The user's answer for those of the names that belong together. */
    void answer(String group, String[] names, boolean allowed) {
        List<String> meant = new ArrayList<>();
        for (String name : names) {
            if (group.equals(GROUP_OF.get(name)) && manifest.permissions.contains(name)) {
                meant.add(name);
            }
        }
        if (allowed) {
            grant(meant);
            return;
        }
        for (String name : meant) {
            denials.merge(name, 1, Integer::sum);
            explain(name, denials.get(name));
        }
        save();
    }

    void grant(Collection<String> names) {
        granted.addAll(names);
        names.forEach(denials::remove);
        Shadows.shadowOf(RuntimeEnvironment.getApplication()).grantPermissions(names.toArray(new String[0]));
        names.forEach(name -> explain(name, 0));
        save();
    }

    void revoke(String name) {
        granted.remove(name);
        Shadows.shadowOf(RuntimeEnvironment.getApplication()).denyPermissions(name);
        save();
    }

    /** After the first denial an app should say why it asks. */
    private static void explain(String name, int denied) {
        Shadows.shadowOf(RuntimeEnvironment.getApplication().getPackageManager()).setShouldShowRequestPermissionRationale(name, denied > 0 && denied < FOR_GOOD);
    }

    private void load() {
        granted.clear();
        denials.clear();
        try {
            for (String line : Files.isRegularFile(file) ? Files.readAllLines(file) : List.<String>of()) {
                int count = Character.digit(line.charAt(0), 10);
                if (count == 0) {
                    granted.add(line.substring(1));
                } else {
                    denials.put(line.substring(1), count);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("what was allowed cannot be read", e);
        }
    }

    /** One a line: how often it was denied, 0 if it is granted, and its name. */
    private void save() {
        List<String> lines = new ArrayList<>();
        granted.forEach(name -> lines.add("0" + name));
        denials.forEach((name, count) -> lines.add(Math.min(FOR_GOOD, count) + name));
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, lines);
        } catch (IOException e) {
            throw new IllegalStateException("what was allowed cannot be kept", e);
        }
    }
}
