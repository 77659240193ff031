package siamang.agent.jvm.robo.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public final class PatienceTest {
    private static final long TICK = 1_000_000;

    @Test
    public void aStepWaitsOnceHoweverManyFramesItHas() {
        // A thread that never rests, an animation of sixty frames: each frame is a wait.
        Patience patience = new Patience();
        long used = 0;
        for (int frame = 0; frame < 60; frame++) {
            patience.begin(used, used);
            while (!patience.isOver(used, used)) {
                used += TICK;
            }
            patience.end(used, used);
        }
        long atMost = Patience.OWN_NS + 60 * (Patience.MOMENT_NS + TICK) + TICK;
        assertTrue(used + " instead of " + atMost, used <= atMost);
    }

    @Test
    public void waitsThatEndByThemselvesCountAsMuchAsTheyTook() {
        Patience patience = new Patience();
        for (int wait = 0; wait < 4; wait++) {
            patience.begin(0, 0);
            assertFalse(patience.isOver(60 * TICK, 0));
            patience.end(60 * TICK, 0);
        }
        patience.begin(0, 0);
        assertFalse(patience.isOver(10 * TICK, 0));
        assertTrue(patience.isOver(11 * TICK, 0));
    }

    @Test
    public void aThreadWithoutAProcessorIsGivenUpByTheClock() {
        Patience patience = new Patience();
        patience.begin(0, 0);
        assertFalse(patience.isOver(0, Patience.CLOCK_NS));
        assertTrue(patience.isOver(0, Patience.CLOCK_NS + 1));
        patience.end(0, Patience.CLOCK_NS + 1);
        patience.begin(0, 0);
        assertTrue(patience.isOver(0, Patience.MOMENT_NS + 1));
    }

    @Test
    public void theNextStepHasPatienceOfItsOwn() {
        Patience patience = new Patience();
        patience.begin(0, 0);
        patience.end(Patience.OWN_NS, Patience.CLOCK_NS);
        patience.refill();
        patience.begin(0, 0);
        assertFalse(patience.isOver(Patience.OWN_NS, Patience.CLOCK_NS));
        assertEquals(true, patience.isOver(Patience.OWN_NS + 1, 0));
    }
}
