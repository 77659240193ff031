package siamang.agent.jvm.robo.inside;

import android.app.Activity;
import android.content.ActivityNotFoundException;
import android.content.Intent;
import android.graphics.Bitmap;
import android.net.Uri;
import android.provider.MediaStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import siamang.agent.core.StepAnswer;

/** Answers intents to other apps, which are not there, as the user of this device has said, or as one would who took the first thing offered. */
final class StandIns {
    /** What a phone without store and maps cannot open. */
    private static final Set<String> NOBODY = Set.of("market", "geo");

    private static final int THUMBNAIL = 64;

    private final List<WishedAnswer> wished;
    private List<StepAnswer.StandIn> answered = new ArrayList<>();

    /** {@code given} is the folder with what the user has said; there need be nothing in it. */
    StandIns(Path given) {
        try {
            this.wished = WishedAnswer.readAll(given);
        } catch (IOException e) {
            throw new IllegalStateException("the answers for other apps cannot be read", e);
        }
    }

    static final class Answer {
        final int result;
        final Intent data;
        final String words;

        Answer(int result, Intent data, String words) {
            this.result = result;
            this.data = data;
            this.words = words;
        }
    }

    Answer answer(Intent intent) {
        Answer answer = choose(intent);
        String data = text(intent.getDataString());
        String component = intent.getComponent() == null ? "" : intent.getComponent().flattenToString();
        String words = answer == null ? "nobody can do that" : answer.words;
        note(text(intent.getAction()), data, component, words);
        if (answer == null) {
            throw new ActivityNotFoundException("No Activity found to handle " + intent);
        }
        return answer;
    }

    /** What was asked of another app is told with the step. */
    void note(String action, String data, String component, String words) {
        synchronized (this) {
            answered.add(new StepAnswer.StandIn(action, data, component, words));
        }
        JvmBackend.get().events.externalIntent(action, data, component);
    }

    synchronized List<StepAnswer.StandIn> take() {
        List<StepAnswer.StandIn> taken = answered;
        answered = new ArrayList<>();
        return taken;
    }

    /** Null if no app on a phone would do it. */
    private Answer choose(Intent intent) {
        // What a chooser offers is what is meant.
        Intent inner = intent.getParcelableExtra(Intent.EXTRA_INTENT);
        Intent asked = Intent.ACTION_CHOOSER.equals(intent.getAction()) && inner != null ? inner : intent;
        for (WishedAnswer wish : wished) {
            if (wish.fits(asked)) {
                return wish.isNobody() ? null : wish.answer();
            }
        }
        if (asked.getScheme() != null && NOBODY.contains(asked.getScheme())) {
            return null;
        }
        String action = text(asked.getAction());
        if (action.equals(Intent.ACTION_PICK)) {
            Uri picked = asked.getData() == null ? OtherData.FIRST_CONTACT : Uri.withAppendedPath(asked.getData(), "1");
            return new Answer(Activity.RESULT_OK, new Intent().setData(picked), "picked the first item");
        }
        if (action.equals(Intent.ACTION_GET_CONTENT) || action.equals(Intent.ACTION_OPEN_DOCUMENT)) {
            return new Answer(Activity.RESULT_OK, new Intent().setData(Documents.usual(asked.getType())), "chose a file");
        }
        if (action.equals(Intent.ACTION_CREATE_DOCUMENT)) {
            return new Answer(Activity.RESULT_OK, new Intent().setData(Documents.fresh(asked.getType())), "made a new file");
        }
        if (action.equals(MediaStore.ACTION_IMAGE_CAPTURE)) {
            // Where no file is named for it, a thumbnail comes back.
            Intent picture = new Intent();
            if (!asked.hasExtra(MediaStore.EXTRA_OUTPUT)) {
                picture.putExtra("data", Bitmap.createBitmap(THUMBNAIL, THUMBNAIL, Bitmap.Config.ARGB_8888));
            }
            return new Answer(Activity.RESULT_OK, picture, "took a picture");
        }
        return new Answer(Activity.RESULT_CANCELED, null, "came back without a result");
    }

    private static String text(String maybe) {
        return maybe == null ? "" : maybe;
    }
}
