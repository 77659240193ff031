package siamang.agent.core;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.EOFException;
import java.net.SocketException;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class SessionTest {
    private FakeBackend backend;
    private Host host;

    @Before
    public void start() throws Exception {
        backend = new FakeBackend(FakeClock.frozenAt(77));
        host = new Host(backend, null);
    }

    @After
    public void stop() throws Exception {
        if (backend.hang != null) {
            backend.hang.countDown();
        }
        host.close();
    }

    @Test
    public void a_repeated_step_gets_the_stored_answer_and_does_not_act() throws Exception {
        Host.Line line = host.auth();
        Frame first = line.ask(Wire.STEP, Host.tapStep(1, Wire.WANT_TREE));
        int touches = touches();
        assertEquals(2, touches);
        Frame again = line.ask(Wire.STEP, Host.tapStep(1, Wire.WANT_TREE));
        assertEquals(Wire.OK, again.kind);
        assertArrayEquals(first.payload, again.payload);
        assertEquals(touches, touches());
        line.ask(Wire.STEP, Host.tapStep(2, 0));
        assertEquals(2 * touches, touches());
        assertEquals(AgentException.STALE, Host.errorCode(line.ask(Wire.STEP, Host.tapStep(1, 0))));
    }

    @Test
    public void an_error_is_stored_too() throws Exception {
        backend.refuseTouch = new AgentException(AgentException.INJECT_DENIED, "no", "turn on the switch");
        Host.Line line = host.auth();
        assertEquals(AgentException.INJECT_DENIED, Host.errorCode(line.ask(Wire.STEP, Host.tapStep(1, 0))));
        backend.refuseTouch = null;
        int touches = touches();
        assertEquals(AgentException.INJECT_DENIED, Host.errorCode(line.ask(Wire.STEP, Host.tapStep(1, 0))));
        assertEquals(touches, touches());
    }

    @Test
    public void a_cut_in_mid_step_loses_and_doubles_nothing() throws Exception {
        backend.hang = new CountDownLatch(1);
        Host.Line line = host.auth();
        line.send(Wire.STEP, 0, Host.tapStep(1, Wire.WANT_TREE));
        awaitLog("touch 0");
        line.close();

        Host.Line next = host.connect();
        Frame answer = next.authenticate(GoldenFrames.TOKEN, Wire.RESUME, line.session, 0);
        ByteReader body = Host.body(answer);
        assertEquals(line.session, body.u64());
        body.fixed(Wire.MAC_BYTES);
        assertEquals(1, body.uv());
        assertEquals(Session.STEP_RUNNING, body.u8());
        int id = next.send(Wire.STEP, 0, Host.tapStep(1, Wire.WANT_TREE));
        // A ping answers while the worker hangs, so the repeated step has been read when it does.
        assertEquals(Wire.OK, next.ask(Wire.PING, new ByteWriter()).kind);
        backend.hang.countDown();
        assertEquals(Wire.OK, next.answerTo(id).kind);
        assertEquals(2, touches());
    }

    @Test
    public void resume_takes_over_from_a_connection_that_looks_alive() throws Exception {
        Host.Line old = host.auth();
        old.ask(Wire.STEP, Host.tapStep(4, 0));
        Host.Line next = host.connect();
        ByteReader body = Host.body(next.authenticate(GoldenFrames.TOKEN, Wire.RESUME, old.session, 4));
        body.u64();
        body.fixed(Wire.MAC_BYTES);
        assertEquals(4, body.uv());
        assertEquals(Session.STEP_ANSWERED, body.u8());
        assertClosed(old);
        assertEquals(Wire.OK, next.ask(Wire.PING, new ByteWriter()).kind);
    }

    @Test
    public void events_that_were_not_seen_come_again_after_a_resume() throws Exception {
        Host.Line line = host.auth();
        backend.sink.warn("a", "1");
        backend.sink.warn("b", "2");
        line.ask(Wire.PING, new ByteWriter());
        assertEquals(2, line.seen);
        backend.sink.crash(new EventSink.CrashReport("p", 1, false, "s", "l", "t", Wire.SOURCE_CONTROLLER, 0));
        line.close();

        Host.Line next = host.connect();
        next.seen = 1;
        next.hello();
        byte[] mac = Handshake.hostMac(GoldenFrames.TOKEN, next.nonce, GoldenFrames.HOST_NONCE);
        next.send(Wire.RESUME, 0, new ByteWriter().uv(1).uv(0).raw(GoldenFrames.HOST_NONCE).raw(mac).uv(Wire.MAX_FRAME_TO_HOST).u64(line.session).uv(0));
        Frame second = next.read();
        assertEquals(Wire.WARN, second.op);
        assertEquals(2, new ByteReader(second.payload).uv());
        assertEquals(Wire.CRASH, next.read().op);
        assertEquals(Wire.RESUME, next.read().op);
    }

    @Test
    public void an_answer_comes_after_all_events_before_it() throws Exception {
        Host.Line line = host.auth();
        for (int i = 0; i < 200; i++) {
            backend.sink.toast("p", "t" + i);
            int id = line.send(Wire.PING, 0, new ByteWriter());
            Frame answer = line.answerTo(id);
            assertEquals(i + 1, new ByteReader(answer.payload).uv());
            assertEquals(i + 1, line.seen);
        }
    }

    @Test
    public void without_resume_for_20_seconds_it_undoes_and_ends() throws Exception {
        Host.Line line = host.auth();
        line.close();
        awaitCut();
        host.clock.advance(Wire.RESUME_MS - 1);
        host.server.tick();
        assertFalse(backend.closed);
        host.clock.advance(1);
        host.server.tick();
        assertEquals(Ending.NO_RESUME, host.ending());
        assertTrue(backend.closed);
    }

    @Test
    public void a_silent_host_is_a_cut_one_and_can_come_back() throws Exception {
        Host.Line line = host.auth();
        host.clock.advance(Wire.SILENCE_MS);
        host.server.tick();
        assertClosed(line);
        Host.Line next = host.connect();
        assertEquals(Wire.OK, next.authenticate(GoldenFrames.TOKEN, Wire.RESUME, line.session, 0).kind);
        host.clock.advance(Wire.RESUME_MS);
        host.server.tick();
        assertEquals(Wire.OK, next.ask(Wire.PING, new ByteWriter()).kind);
    }

    @Test
    public void nobody_at_all_ends_it() throws Exception {
        host.clock.advance(Wire.SILENCE_MS);
        host.server.tick();
        assertEquals(Ending.NO_HOST, host.ending());
    }

    @Test
    public void a_second_host_is_busy_and_a_foreign_session_unknown() throws Exception {
        Host.Line line = host.auth();
        Host.Line second = host.connect();
        assertEquals(AgentException.BUSY, Host.errorCode(second.authenticate(GoldenFrames.TOKEN, Wire.AUTH, 0, 0)));
        assertClosed(second);
        Host.Line third = host.connect();
        assertEquals(AgentException.NO_SESSION, Host.errorCode(third.authenticate(GoldenFrames.TOKEN, Wire.RESUME, line.session + 1, 0)));
        assertEquals(Wire.OK, line.ask(Wire.PING, new ByteWriter()).kind);
    }

    @Test
    public void five_wrong_tokens_end_it_and_four_do_not() throws Exception {
        byte[] wrong = new byte[Wire.TOKEN_BYTES];
        for (int i = 1; i < Wire.MAX_WRONG_TOKENS; i++) {
            Host.Line line = host.connect();
            assertEquals(AgentException.AUTH, Host.errorCode(line.authenticate(wrong, Wire.AUTH, 0, 0)));
            assertClosed(line);
        }
        assertFalse(host.ended());
        host.connect().authenticate(wrong, Wire.RESUME, 1, 0);
        assertEquals(Ending.WRONG_TOKENS, host.ending());
    }

    @Test
    public void other_versions_and_other_requests_are_refused_before_auth() throws Exception {
        Host.Line line = host.connect();
        line.hello();
        byte[] mac = Handshake.hostMac(GoldenFrames.TOKEN, line.nonce, GoldenFrames.HOST_NONCE);
        int id = line.send(Wire.AUTH, 0, new ByteWriter().uv(2).uv(0).raw(GoldenFrames.HOST_NONCE).raw(mac).uv(Wire.MAX_FRAME_TO_HOST));
        assertEquals(AgentException.VERSION, Host.errorCode(line.answerTo(id)));
        Host.Line other = host.connect();
        other.hello();
        assertEquals(AgentException.AUTH, Host.errorCode(other.ask(Wire.STEP, Host.tapStep(1, 0))));
        assertEquals(0, touches());
    }

    @Test
    public void a_hung_worker_is_answered_for_and_replaced_and_the_third_ends_it() throws Exception {
        Host.Line line = host.auth();
        CountDownLatch[] latches = new CountDownLatch[Wire.MAX_WORKERS_LOST];
        for (int i = 0; i < Wire.MAX_WORKERS_LOST; i++) {
            latches[i] = new CountDownLatch(1);
            backend.hang = latches[i];
            backend.log.clear();
            int id = line.send(Wire.STEP, 500, Host.tapStep(i + 1, 0));
            awaitLog("touch 0");
            host.clock.advance(499);
            host.server.tick();
            assertEquals(Wire.OK, line.ask(Wire.PING, new ByteWriter()).kind);
            host.clock.advance(1);
            host.server.tick();
            int code = Host.errorCode(line.answerTo(id));
            assertEquals(i + 1 < Wire.MAX_WORKERS_LOST ? AgentException.TIMEOUT : AgentException.DEVICE_DEAD, code);
            if (i == 0) {
                backend.hang = null;
                assertEquals(Wire.OK, line.ask(Wire.TOP, new ByteWriter()).kind);
                latches[0].countDown();
            }
        }
        assertEquals(Ending.DEVICE_DEAD, host.ending());
        for (CountDownLatch latch : latches) {
            latch.countDown();
        }
    }

    @Test
    public void a_phone_that_does_a_step_between_two_hangs_is_not_dead() throws Exception {
        Host.Line line = host.auth();
        for (int i = 0; i < 2 * Wire.MAX_WORKERS_LOST; i++) {
            CountDownLatch latch = new CountDownLatch(1);
            backend.hang = latch;
            backend.log.clear();
            int id = line.send(Wire.STEP, 500, Host.tapStep(2 * i + 1, 0));
            awaitLog("touch 0");
            host.clock.advance(500);
            host.server.tick();
            assertEquals(AgentException.TIMEOUT, Host.errorCode(line.answerTo(id)));
            backend.hang = null;
            assertEquals(Wire.OK, line.answerTo(line.send(Wire.STEP, 500, Host.tapStep(2 * i + 2, 0))).kind);
            latch.countDown();
        }
    }

    @Test
    public void a_worker_that_was_given_up_ends_its_gesture_and_acts_no_more() throws Exception {
        Host.Line line = host.auth();
        CountDownLatch latch = new CountDownLatch(1);
        backend.hang = latch;
        ByteWriter twoTaps = new ByteWriter().uv(1).uv(2).u8(1).sv(1).sv(1).u8(1).sv(2).sv(2).u8(0).uv(0).uv(0).uv(0).uv(0).u64(0);
        int id = line.send(Wire.STEP, 500, twoTaps);
        awaitLog("touch 0");
        host.clock.advance(500);
        host.server.tick();
        Frame timeout = line.answerTo(id);
        assertEquals(AgentException.TIMEOUT, Host.errorCode(timeout));
        backend.hang = null;
        latch.countDown();
        backend.toucher.join(Host.PATIENCE_MS);
        assertTrue(backend.log.toString(), backend.log.contains("touch 3 [1] [1]"));
        assertFalse(backend.log.toString(), backend.log.contains("touch 0 [2] [2]"));
        // What it says too late is neither sent nor stored.
        line.send(Wire.TOP, 0, new ByteWriter());
        assertEquals(Wire.TOP, line.read().op);
        assertArrayEquals(timeout.payload, line.ask(Wire.STEP, twoTaps).payload);
    }

    @Test
    public void a_malformed_request_is_answered_and_a_malformed_frame_closes() throws Exception {
        Host.Line line = host.auth();
        assertEquals(AgentException.MALFORMED, Host.errorCode(line.ask(Wire.STEP, new ByteWriter().uv(1))));
        assertEquals(AgentException.MALFORMED, Host.errorCode(line.ask(Wire.APP, new ByteWriter().u8(2).str("a b; rm -rf /").str(""))));
        assertEquals(Wire.OK, line.ask(Wire.STEP, Host.tapStep(1, 0)).kind);
        line.out.write(new ByteWriter().u32(100_000_000).toBytes());
        line.out.flush();
        assertClosed(line);
        assertFalse(host.ended());
    }

    @Test
    public void app_data_is_cleared_only_after_config_allowed_it() throws Exception {
        Host.Line line = host.auth();
        ByteWriter clear = new ByteWriter().u8(3).str("com.example.notes").str("");
        ByteWriter reset = new ByteWriter().uv(1).u8(Wire.RESET_CLEAN).str("com.example.notes").str("").str("").u8(0).uv(0).uv(0).uv(0).uv(0).u64(0);
        assertEquals(AgentException.REFUSED, Host.errorCode(line.ask(Wire.APP, clear)));
        assertEquals(AgentException.REFUSED, Host.errorCode(line.ask(Wire.RESET, reset)));
        assertFalse(backend.log.toString(), backend.log.contains("stop com.example.notes"));
        line.ask(Wire.CONFIG, new ByteWriter().uv(0).uv(0).uv(Config.ALLOW_CLEAR).str("").uv(0).uv(0).uv(0));
        assertEquals(Wire.OK, line.ask(Wire.APP, clear).kind);
        assertTrue(backend.log.contains("clear com.example.notes"));
    }

    @Test
    public void an_empty_screen_is_no_tree() throws Exception {
        backend.screen = new Screen(0, 1, 1, new Top("", "", Top.FROM_WINDOW), Collections.<Window>emptyList(), false);
        Host.Line line = host.auth();
        assertEquals(AgentException.NO_ROOT, Host.errorCode(line.ask(Wire.TREE, new ByteWriter().u64(0))));
    }

    @Test
    public void an_app_that_does_not_answer_is_told_as_such_and_not_as_a_defect() throws Exception {
        backend.screen = FakeBackend.screenOf(new FakeNode() {
            @Override
            public int childCount() {
                throw new HungException("for its children", 5_000);
            }
        });
        Host.Line line = host.auth();
        assertEquals(AgentException.HUNG, Host.errorCode(line.ask(Wire.TREE, new ByteWriter().u64(0))));
        assertEquals(AgentException.HUNG, Host.errorCode(line.ask(Wire.STEP, Host.tapStep(1, Wire.WANT_TREE))));
        assertEquals("it may answer later", Wire.OK, line.ask(Wire.STEP, Host.tapStep(2, 0)).kind);
    }

    @Test
    public void what_could_not_be_put_back_is_told_before_the_good_bye() throws Exception {
        backend.stays = "the rotation";
        assertEquals("the rotation", staysAfterBye());
    }

    @Test
    public void an_undo_that_fails_is_told_too() throws Exception {
        backend.closeFails = new IllegalStateException("the system is gone");
        assertEquals("java.lang.IllegalStateException: the system is gone", staysAfterBye());
    }

    @Test
    public void an_undo_that_does_not_come_to_its_end_is_told_too() throws Exception {
        host.close();
        host = new Host(backend, new SecureRandom(), 30);
        backend.closeHangs = new CountDownLatch(1);
        try {
            assertEquals("it takes longer than 30 ms", staysAfterBye());
        } finally {
            backend.closeHangs.countDown();
        }
    }

    /** What is not put back, as the agent tells it before its good-bye. */
    private String staysAfterBye() throws Exception {
        Host.Line line = host.auth();
        int id = line.send(Wire.BYE, 0, new ByteWriter());
        Frame told = line.read();
        assertEquals(Wire.EVENT, told.kind);
        assertEquals(Wire.WARN, told.op);
        ByteReader body = Host.body(told);
        assertEquals(EventSink.NOT_PUT_BACK, body.str());
        String what = body.str();
        assertEquals(Wire.OK, line.answerTo(id).kind);
        return what;
    }

    @Test
    public void an_answer_larger_than_the_host_takes_becomes_an_error() throws Exception {
        FakeNode root = new FakeNode();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 60_000; i++) {
            text.append((char) ('a' + i % 26));
        }
        root.text = text.toString();
        root.description = text.reverse().toString();
        backend.screen = FakeBackend.screenOf(root);
        Host.Line line = host.connect();
        line.hello();
        byte[] mac = Handshake.hostMac(GoldenFrames.TOKEN, line.nonce, GoldenFrames.HOST_NONCE);
        line.answerTo(line.send(Wire.AUTH, 0, new ByteWriter().uv(1).uv(0).raw(GoldenFrames.HOST_NONCE).raw(mac).uv(Wire.MIN_FRAME_TO_HOST)));
        assertEquals(AgentException.LIMIT, Host.errorCode(line.ask(Wire.TREE, new ByteWriter().u64(0))));
    }

    @Test
    public void both_sides_prove_that_they_know_the_token() throws Exception {
        Host.Line line = host.connect();
        ByteReader body = Host.body(line.authenticate(GoldenFrames.TOKEN, Wire.AUTH, 0, 0));
        body.u64();
        assertArrayEquals(Handshake.agentMac(GoldenFrames.TOKEN, line.nonce, GoldenFrames.HOST_NONCE), body.fixed(Wire.MAC_BYTES));
    }

    private int touches() {
        int count = 0;
        synchronized (backend.log) {
            for (String line : backend.log) {
                count += line.startsWith("touch ") ? 1 : 0;
            }
        }
        return count;
    }

    private void awaitLog(final String start) throws Exception {
        await("log with " + start, new Callable<Boolean>() {
            @Override
            public Boolean call() {
                synchronized (backend.log) {
                    for (String line : backend.log) {
                        if (line.startsWith(start)) {
                            return true;
                        }
                    }
                }
                return false;
            }
        });
    }

    /** The cut is noticed by the reader; a second AUTH cannot see it, but the session's own state can. */
    private void awaitCut() throws Exception {
        await("cut", new Callable<Boolean>() {
            @Override
            public Boolean call() {
                return host.server.isCut();
            }
        });
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + Host.PATIENCE_MS * 1_000_000L;
        while (!condition.call()) {
            assertTrue("waited too long for " + what, System.nanoTime() < end);
            Thread.yield();
        }
    }

    private static void assertClosed(Host.Line line) throws Exception {
        try {
            while (true) {
                line.read();
            }
        } catch (EOFException e) {
            assertTrue(e.getMessage(), e.getMessage().contains("0 of 4"));
        } catch (SocketException e) {
            assertTrue(e.getMessage(), e.getMessage().contains("reset"));
        }
    }
}
