package siamang.conformance;

import android.os.Bundle;

/** The way to all pages. */
public final class MainPage extends Page {
    private static int lives;

    @Override
    void fill(Bundle saved) {
        lives++;
        say("lives " + lives + ", " + App.beginning);
        opens("tasks", TaskPage.class, 0);
        opens("windows", WindowPage.class, 0);
        opens("keys", KeyboardPage.class, 0);
        opens("widgets", WidgetPage.class, 0);
        opens("parts", PartsPage.class, 0);
        opens("permissions", PermissionPage.class, 0);
        opens("stores", StorePage.class, 0);
        opens("threads", ThreadPage.class, 0);
        opens("time", TimePage.class, 0);
        opens("trouble", TroublePage.class, 0);
        opens("sturdy", SturdyPage.class, 0);
        opens("heavy", HeavyPage.class, 0);
    }
}
