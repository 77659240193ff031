package siamang.agent.jvm.robo.inside;

import android.app.Activity;
import android.content.Intent;
import android.net.Uri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** One answer for other apps that the user has asked for: a line of the host's {@code answers.txt}, whose fields tabs part. */
final class WishedAnswer {
    private static final String FILE = "answers.txt";
    private static final int ACTION = 0;
    private static final int DATA = 1;
    private static final int TYPE = 2;
    private static final int OUTCOME = 3;
    private static final int ADDRESS = 4;
    private static final int CONTENT = 5;
    private static final int EXTRAS = 6;

    private final String[] fields;
    private final Path given;

    private WishedAnswer(String line, Path given) {
        this.fields = line.split("\t", -1);
        this.given = given;
    }

    static List<WishedAnswer> readAll(Path given) throws IOException {
        List<WishedAnswer> all = new ArrayList<>();
        Path file = given.resolve(FILE);
        if (Files.isRegularFile(file)) {
            for (String line : Files.readAllLines(file)) {
                all.add(new WishedAnswer(line, given));
            }
        }
        return all;
    }

    boolean fits(Intent intent) {
        return like(fields[ACTION], intent.getAction()) && like(fields[DATA], intent.getDataString()) && like(fields[TYPE], intent.getType());
    }

    boolean isNobody() {
        return fields[OUTCOME].equals("nobody");
    }

    StandIns.Answer answer() {
        if (fields[OUTCOME].equals("cancelled")) {
            return new StandIns.Answer(Activity.RESULT_CANCELED, null, "cancelled, as wished");
        }
        Intent back = new Intent();
        Uri address = fields[ADDRESS].isEmpty() ? null : Uri.parse(fields[ADDRESS]);
        if (!fields[CONTENT].isEmpty()) {
            address = Documents.at(address, given.resolve(fields[CONTENT]));
        }
        back.setData(address);
        for (int i = EXTRAS; i < fields.length; i++) {
            int equals = fields[i].indexOf('=');
            String name = fields[i].substring(1, equals);
            String value = fields[i].substring(equals + 1);
            switch (fields[i].charAt(0)) {
                case 'b' -> back.putExtra(name, Boolean.parseBoolean(value));
                case 'n' -> number(back, name, Long.parseLong(value));
                default -> back.putExtra(name, value);
            }
        }
        return new StandIns.Answer(Activity.RESULT_OK, back, "answered as wished" + (address == null ? "" : ": " + address));
    }

    /** Apps ask for whole numbers as int, unless one does not fit. */
    private static void number(Intent back, String name, long value) {
        if (value == (int) value) {
            back.putExtra(name, (int) value);
        } else {
            back.putExtra(name, value);
        }
    }

    private static boolean like(String pattern, String text) {
        if (pattern.equals("*")) {
            return true;
        }
        String[] parts = pattern.split("\\*", -1);
        for (int i = 0; i < parts.length; i++) {
            parts[i] = Pattern.quote(parts[i]);
        }
        return Pattern.matches(String.join(".*", parts), text == null ? "" : text);
    }
}
