package siamang.agent.jvm.robo;

import java.util.regex.Pattern;

/** A regular expression that is asked for again and again. Called by what {@link NamePatches} has edited. */
public final class Expression {
    private static volatile Pattern last;

    private Expression() {
    }

    /** As {@link String#matches}. */
    public static boolean matches(String text, String expression) {
        Pattern pattern = last;
        if (pattern == null || !pattern.pattern().equals(expression)) {
            pattern = Pattern.compile(expression);
            last = pattern;
        }
        return pattern.matcher(text).matches();
    }
}
