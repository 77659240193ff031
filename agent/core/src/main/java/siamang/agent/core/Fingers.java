package siamang.agent.core;

/** What a backend does with its hands. Each call injects one sample now; core keeps the time between samples. */
public interface Fingers {
    void touch(Touch touch, long downTime) throws AgentException;

    void key(boolean down, int code, int meta, long downTime) throws AgentException;

    /** Types by key events; false if the key map lacks a character, and then nothing was typed. */
    boolean type(String text) throws AgentException, InterruptedException;

    /** Pastes over the whole content of the focused field and puts the old clipboard back; false if there is no clipboard. */
    boolean paste(String text) throws AgentException, InterruptedException;

    long longPressMs();
}
