package siamang.agent.jvm.robo.inside;

import java.util.Locale;

/** Static methods of Android's own Java library that a JDK does not have. Called by patched classes of the framework. */
public final class AndroidsJava {
    private AndroidsJava() {
    }

    /** A locale may name another first day with its extension "fw"; locales of a device's settings do not. */
    public static int retrieveFirstDayOfWeek(Locale locale, int ownOfCalendar) {
        return ownOfCalendar;
    }
}
