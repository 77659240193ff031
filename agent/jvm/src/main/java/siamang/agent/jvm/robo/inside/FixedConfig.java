package siamang.agent.jvm.robo.inside;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.ConscryptMode;
import org.robolectric.annotation.GraphicsMode;
import org.robolectric.annotation.LooperMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.annotation.experimental.LazyApplication;
import org.robolectric.pluginapi.config.ConfigurationStrategy.Configuration;

/** The one configuration that apps run in: a phone of ordinary size, real drawing, real SQLite. */
final class FixedConfig implements Configuration {
    private static final String PHONE = "w411dp-h731dp-normal-notlong-notround-any-xhdpi-keyshidden-nonav";

    private final Map<Class<?>, Object> values = new LinkedHashMap<>();

    FixedConfig() {
        values.put(ConscryptMode.Mode.class, ConscryptMode.Mode.OFF);
        values.put(LooperMode.Mode.class, LooperMode.Mode.PAUSED);
        values.put(LazyApplication.LazyLoad.class, LazyApplication.LazyLoad.OFF);
        values.put(GraphicsMode.Mode.class, GraphicsMode.Mode.NATIVE);
        values.put(SQLiteMode.Mode.class, SQLiteMode.Mode.NATIVE);
        values.put(Config.class, new Config.Builder().setQualifiers(PHONE).build());
    }

    @Override
    public <T> T get(Class<T> type) {
        return type.cast(values.get(type));
    }

    @Override
    public Collection<Class<?>> keySet() {
        return values.keySet();
    }

    @Override
    public Map<Class<?>, Object> map() {
        return values;
    }
}
