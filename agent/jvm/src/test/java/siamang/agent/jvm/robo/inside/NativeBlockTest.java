package siamang.agent.jvm.robo.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public final class NativeBlockTest {
    private static final long LOOK_NS = 20_000_000;
    private static final StackTraceElement[] ACCEPT = {new StackTraceElement("sun.nio.ch.Net", "accept", "Net.java", -2), app(7)};
    private static final StackTraceElement[] READ = {new StackTraceElement("java.io.FileInputStream", "readBytes", "FileInputStream.java", -2), app(8)};

    @Test
    public void aThreadThatStaysInOneSystemCallForThreeTimesAsLongAsAPhoneWaitsIsStuck() {
        NativeBlock block = new NativeBlock();
        long waited = 0;
        while (!block.look(5, () -> ACCEPT, LOOK_NS)) {
            waited += LOOK_NS;
            assertTrue("waited for " + waited, waited < 2 * NativeBlock.STUCK_NS);
        }
        assertTrue("waited for " + waited, waited > NativeBlock.STUCK_NS);
    }

    @Test
    public void aThreadThatGetsAProcessorNowAndThenOrGoesOnOrIsInNoSystemCallIsNot() {
        for (Object[] lives : new Object[][] {{true, ACCEPT, ACCEPT}, {false, ACCEPT, READ}, {false, new StackTraceElement[] {app(7)}, new StackTraceElement[] {app(7)}},
            {false, new StackTraceElement[0], new StackTraceElement[0]}}) {
            NativeBlock block = new NativeBlock();
            for (int i = 0; i < 10 * NativeBlock.STUCK_NS / LOOK_NS; i++) {
                // Not at every look: one stack is as long ago as some of them.
                boolean late = i / 500 % 2 == 1;
                long used = (boolean) lives[0] ? i / 500 : 5;
                assertFalse(block.look(used, () -> (StackTraceElement[]) lives[late ? 1 : 2], LOOK_NS));
            }
        }
    }

    @Test
    public void stacksAreTakenSeldom() {
        NativeBlock block = new NativeBlock();
        int[] taken = new int[1];
        for (long waited = 0; waited < NativeBlock.STUCK_NS; waited += LOOK_NS) {
            block.look(5, () -> {
                taken[0]++;
                return ACCEPT;
            }, LOOK_NS);
        }
        assertEquals(NativeBlock.STUCK_NS / NativeBlock.BETWEEN_STACKS_NS, taken[0], 1);
    }

    private static StackTraceElement app(int line) {
        return new StackTraceElement("com.example.Own", "onClick", "Own.java", line);
    }
}
