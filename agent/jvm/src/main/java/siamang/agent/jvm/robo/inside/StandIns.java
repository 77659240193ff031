package siamang.agent.jvm.robo.inside;

import android.app.Activity;
import android.content.ActivityNotFoundException;
import android.content.Intent;
import android.graphics.Bitmap;
import android.net.Uri;
import android.provider.MediaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import siamang.agent.core.StepAnswer;

/** Answers intents to other apps, which are not there, as a user would who took the first thing offered. */
final class StandIns {
    /** What a phone without store and maps cannot open. */
    private static final Set<String> NOBODY = Set.of("market", "geo");

    private static final int THUMBNAIL = 64;

    private List<StepAnswer.StandIn> answered = new ArrayList<>();

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
        if (intent.getScheme() != null && NOBODY.contains(intent.getScheme())) {
            throw new ActivityNotFoundException("No Activity found to handle " + intent);
        }
        Answer answer = choose(intent);
        String data = text(intent.getDataString());
        String component = intent.getComponent() == null ? "" : intent.getComponent().flattenToString();
        synchronized (this) {
            answered.add(new StepAnswer.StandIn(text(intent.getAction()), data, component, answer.words));
        }
        JvmBackend.get().events.externalIntent(text(intent.getAction()), data, component);
        return answer;
    }

    synchronized List<StepAnswer.StandIn> take() {
        List<StepAnswer.StandIn> taken = answered;
        answered = new ArrayList<>();
        return taken;
    }

    private static Answer choose(Intent intent) {
        String action = text(intent.getAction());
        if (action.equals(Intent.ACTION_PICK)) {
            Uri picked = intent.getData() == null ? Uri.parse("content://com.android.contacts/contacts/1") : Uri.withAppendedPath(intent.getData(), "1");
            return new Answer(Activity.RESULT_OK, new Intent().setData(picked), "picked the first item");
        }
        if (action.equals(Intent.ACTION_GET_CONTENT) || action.equals(Intent.ACTION_OPEN_DOCUMENT)) {
            return new Answer(Activity.RESULT_OK, new Intent().setData(Uri.parse("content://siamang.files/document/1")), "chose a file");
        }
        if (action.equals(MediaStore.ACTION_IMAGE_CAPTURE)) {
            // Where no file is named for it, a thumbnail comes back.
            Intent picture = new Intent();
            if (!intent.hasExtra(MediaStore.EXTRA_OUTPUT)) {
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
