package siamang.agent.jvm.robo.inside;

import static org.junit.Assert.assertEquals;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public final class LeftoversTest {
    @Test
    public void addressesOfWhatIsGoneAreForgottenAndThoseOfWhatIsThereStay() {
        Object there = new int[1];
        WeakReference<Object> gone = new WeakReference<>(new int[1]);
        gone.clear();
        Map<Long, WeakReference<Object>> arrays = new HashMap<>(Map.of(1L, new WeakReference<>(there), 2L, gone));
        Leftovers.forgetGone(arrays);
        assertEquals(Set.of(1L), arrays.keySet());
        assertEquals(there, arrays.get(1L).get());
    }
}
