package siamang.agent.jvm.robo.inside;

import android.content.SearchRecentSuggestionsProvider;

/**
 * A content provider of the host's own. The framework's ContentProvider is abstract, and instrumented in a way that the compiler
 * takes for unfinished; so one that is not abstract stands in between, and nothing of it is used.
 */
abstract class HostProvider extends SearchRecentSuggestionsProvider {
    @Override
    public boolean onCreate() {
        return true;
    }
}
