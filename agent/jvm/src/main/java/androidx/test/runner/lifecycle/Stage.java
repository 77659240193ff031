package androidx.test.runner.lifecycle;

/** Robolectric links to this type of androidx.test.monitor, which Maven Central does not have. */
public enum Stage { PRE_ON_CREATE, CREATED, STARTED, RESUMED, PAUSED, STOPPED, RESTARTED, DESTROYED }
