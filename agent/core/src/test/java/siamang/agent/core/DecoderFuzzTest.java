package siamang.agent.core;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.Test;

/** Whatever the bytes are: a value, or the decoder's own exception, and never much more memory than the bytes. */
public class DecoderFuzzTest {
    private static final int ROUNDS = 60_000;
    /** What a decoder may allocate beside a multiple of its input: the message's objects and one exception. */
    private static final long FIXED_BYTES = 64 * 1024;
    private static final long BYTES_PER_BYTE = 64;

    @Test
    public void mutated_requests_decode_or_fail_with_a_protocol_error_and_stay_small() throws Exception {
        List<byte[]> seeds = new ArrayList<byte[]>();
        for (String name : GoldenFrames.names()) {
            seeds.add(GoldenTest.parse(name));
        }
        Random random = new Random(6);
        int decoded = 0;
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] frame = mutate(seeds.get(random.nextInt(seeds.size())), random);
            long before = allocated();
            try {
                decode(frame);
                decoded++;
            } catch (AgentException e) {
                refused++;
            } catch (EOFException e) {
                refused++;
            }
            long used = allocated() - before;
            assertTrue(used + " bytes for " + frame.length, used <= FIXED_BYTES + BYTES_PER_BYTE * frame.length + claimed(frame));
        }
        // Both must happen often, else this test looks at one path only.
        assertTrue("decoded " + decoded, decoded > ROUNDS / 20);
        assertTrue("refused " + refused, refused > ROUNDS / 20);
    }

    @Test
    public void random_bytes_never_throw_anything_else() throws Exception {
        Random random = new Random(7);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] payload = new byte[random.nextInt(80)];
            random.nextBytes(payload);
            int[] ops = {Wire.AUTH, Wire.RESUME, Wire.CONFIG, Wire.STEP, Wire.RESET};
            try {
                decode(new Frame(Wire.REQUEST, ops[random.nextInt(ops.length)], 1, payload).toBytes());
            } catch (AgentException e) {
                assertTrue(e.code() == AgentException.MALFORMED || e.code() == AgentException.LIMIT || e.code() == AgentException.UNSUPPORTED);
            }
        }
    }

    @Test
    public void a_header_of_100_MB_is_refused_before_a_buffer_exists() throws Exception {
        byte[] header = new ByteWriter().u32(100_000_000).u8(1).u8(4).u16(0).u32(1).toBytes();
        long before = allocated();
        try {
            Frame.read(new ByteArrayInputStream(header), Wire.MAX_FRAME_TO_AGENT);
            fail("read");
        } catch (ProtocolException e) {
            assertEquals(AgentException.LIMIT, e.code());
            assertTrue(e.isFatal());
        }
        assertTrue(allocated() - before < FIXED_BYTES);
    }

    @Test
    public void a_huge_count_is_refused_before_a_list_exists() throws Exception {
        byte[] payload = new ByteWriter().uv(Long.MAX_VALUE).toBytes();
        for (int limit : new int[] {Wire.MAX_LIST, Integer.MAX_VALUE}) {
            try {
                new ByteReader(payload).count(limit, 1, "things");
                fail("read");
            } catch (ProtocolException e) {
                assertEquals(AgentException.LIMIT, e.code());
            }
        }
        try {
            new ByteReader(new ByteWriter().uv(30_000).uv(0).toBytes()).count(Wire.MAX_LIST, 2, "things");
            fail("read");
        } catch (ProtocolException e) {
            assertEquals(AgentException.MALFORMED, e.code());
        }
    }

    @Test
    public void numbers_and_texts_come_back_as_they_went() throws Exception {
        Random random = new Random(8);
        for (int round = 0; round < 20_000; round++) {
            long uv = random.nextLong() >>> 1 + random.nextInt(63);
            int sv = random.nextInt() >> random.nextInt(32);
            long u64 = random.nextLong();
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(10); i > 0; i--) {
                int point = random.nextInt(0x110000);
                text.appendCodePoint(point >= 0xD800 && point < 0xE000 ? 'x' : point);
            }
            ByteReader in = new ByteReader(new ByteWriter().uv(uv).sv(sv).u64(u64).str(text).bool(true).toBytes());
            assertEquals(uv, in.uv());
            assertEquals(sv, in.sv());
            assertEquals(u64, in.u64());
            assertEquals(text.toString(), in.str());
            assertTrue(in.bool());
            assertEquals(0, in.remaining());
        }
    }

    @Test
    public void a_lone_surrogate_becomes_the_replacement_character() throws Exception {
        assertEquals("a\ufffdb\ufffd", new ByteReader(new ByteWriter().str("a\ud83db\ude48").toBytes()).str());
        assertArrayEquals(new byte[] {1, 'a'}, new ByteWriter().bytes(Utf8.encode("a\u4e2d", 3)).toBytes());
    }

    /** Everything the agent does to a frame before it acts. */
    private static void decode(byte[] bytes) throws IOException, AgentException {
        Frame frame = Frame.read(new ByteArrayInputStream(bytes), Wire.MAX_FRAME_TO_AGENT);
        Request request = Request.read(new Frame(Wire.REQUEST, frame.op, frame.id, frame.payload));
        switch (request.op) {
            case Wire.AUTH:
            case Wire.RESUME:
                Handshake.read(request);
                break;
            case Wire.CONFIG:
                Config.read(request.body);
                break;
            case Wire.STEP:
            case Wire.RESET:
                StepRequest.read(request);
                break;
            default:
                request.body.u8();
                request.body.str();
        }
    }

    /** The frame's own length field, which is within its limit and may be more than what came. */
    private static long claimed(byte[] frame) {
        long length = 0;
        for (int i = 0; i < 4 && i < frame.length; i++) {
            length = length << 8 | frame[i] & 0xFF;
        }
        return length <= Wire.MAX_FRAME_TO_AGENT ? length : 0;
    }

    private static byte[] mutate(byte[] seed, Random random) {
        byte[] out = seed.clone();
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = 12 + random.nextInt(Math.max(1, out.length - 12));
            if (at < out.length) {
                out[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : out[at] ^ 1 << random.nextInt(8));
            }
        }
        if (random.nextInt(20) == 0) {
            out[random.nextInt(12)] = (byte) random.nextInt(256);
        }
        if (random.nextInt(4) == 0) {
            int length = 12 + random.nextInt(out.length - 11);
            byte[] cut = new byte[length];
            System.arraycopy(out, 0, cut, 0, length);
            int rest = length - 4;
            for (int i = 0; i < 4; i++) {
                cut[i] = (byte) (rest >> 24 - 8 * i);
            }
            return cut;
        }
        return out;
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
