package siamang.agent.jvm.robo.shared;

/** Gives the app's classes anew for each process life, so that its statics are fresh. Shared by both class loaders. */
public interface AppClasses {
    ClassLoader fresh() throws java.io.IOException;
}
