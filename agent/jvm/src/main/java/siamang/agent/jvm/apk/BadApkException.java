package siamang.agent.jvm.apk;

/** An APK that cannot be run here, with the reason in words for the user. */
public final class BadApkException extends Exception {
    private static final long serialVersionUID = 1;

    public BadApkException(String message) {
        super(message);
    }
}
