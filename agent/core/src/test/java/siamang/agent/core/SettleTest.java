package siamang.agent.core;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class SettleTest {
    private static final Pace PACE = new Pace(true, 60, 100, 1000);

    @Test
    public void quiet_after_the_last_reaction_is_settled() {
        assertSettles(new long[] {30, 70, 100}, false, 160, Settled.QUIET);
    }

    @Test
    public void no_reaction_is_settled_after_the_reaction_time() {
        assertSettles(new long[] {}, false, 100, Settled.NO_REACTION);
    }

    @Test
    public void a_late_first_reaction_still_counts() {
        assertSettles(new long[] {99}, false, 159, Settled.QUIET);
    }

    @Test
    public void a_reaction_after_the_reaction_time_is_too_late() {
        assertSettles(new long[] {101}, false, 100, Settled.NO_REACTION);
    }

    @Test
    public void a_reaction_during_a_swipe_needs_only_quiet() {
        assertSettles(new long[] {}, true, 60, Settled.QUIET);
    }

    @Test
    public void an_app_that_never_falls_silent_is_left_at_the_cap() {
        long[] ticks = new long[100];
        for (int i = 0; i < ticks.length; i++) {
            ticks[i] = 20 * i;
        }
        assertSettles(ticks, false, 1000, Settled.CAP);
    }

    @Test
    public void a_cap_below_the_reaction_time_holds() {
        SettleRule rule = new SettleRule(new Pace(true, 60, 100, 50), 0, false);
        assertEquals(50, rule.remaining(0));
        assertEquals(0, rule.remaining(50));
        assertEquals(Settled.CAP, rule.reason(50));
    }

    @Test
    public void the_pulse_waits_by_the_rule_and_counts() throws Exception {
        final FakeClock clock = FakeClock.at(5000);
        final UiPulse pulse = new UiPulse(clock);
        pulse.beat();
        clock.advance(500);
        pulse.arm();
        clock.advance(40);
        clock.onWait(new Runnable() {
            @Override
            public void run() {
                clock.advance(25);
                pulse.beat();
            }
        });
        Settled settled = pulse.settle(PACE);
        assertEquals(Settled.QUIET, settled.reason);
        assertEquals(85, settled.ms);
        assertEquals(1, settled.uiEvents);
    }

    @Test
    public void what_was_drawn_before_the_input_is_no_reaction() throws Exception {
        FakeClock clock = FakeClock.at(5000);
        UiPulse pulse = new UiPulse(clock);
        pulse.beat();
        clock.advance(1);
        pulse.arm();
        Settled settled = pulse.settle(PACE);
        assertEquals(Settled.NO_REACTION, settled.reason);
        assertEquals(100, settled.ms);
    }

    /** Steps through time by what the rule asks for, with events at the given times. */
    private static void assertSettles(long[] events, boolean during, long at, int reason) {
        SettleRule rule = new SettleRule(PACE, 0, during);
        int next = 0;
        long now = 0;
        for (long left = rule.remaining(now); left > 0; left = rule.remaining(now)) {
            if (next < events.length && events[next] <= now + left) {
                now = events[next++];
                rule.drawn(now);
            } else {
                now += left;
            }
        }
        assertEquals(at, now);
        assertEquals(reason, rule.reason(now));
    }
}
