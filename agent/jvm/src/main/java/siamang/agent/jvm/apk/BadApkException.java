package siamang.agent.jvm.apk;

/** An APK that cannot be run here, with the reason in words for the user. */
public final class BadApkException extends Exception {
    private static final long serialVersionUID = 1;

    /** A phone would run it. */
    public final boolean needsPhone;

    public BadApkException(String message) {
        this(message, false);
    }

    private BadApkException(String message, boolean needsPhone) {
        super(message);
        this.needsPhone = needsPhone;
    }

    /** There is nothing wrong with the APK but that it is for a phone. */
    static BadApkException forPhones(String message) {
        return new BadApkException(message, true);
    }
}
