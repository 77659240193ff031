package siamang.agent.core;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Both sides show that they know the token without sending it: any local user can reach adb's forwarded port, and any
 * program could have taken the socket's name first.
 */
public final class Handshake {
    private static final byte[] HOST = "siamang host".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] AGENT = "siamang agent".getBytes(StandardCharsets.US_ASCII);

    /** AUTH or RESUME as it arrived. */
    public final int major;
    public final byte[] hostNonce;
    public final byte[] mac;
    public final int maxFrame;
    /** 0 in AUTH. */
    public final long session;
    public final long lastStep;

    private Handshake(int major, byte[] hostNonce, byte[] mac, int maxFrame, long session, long lastStep) {
        this.major = major;
        this.hostNonce = hostNonce;
        this.mac = mac;
        this.maxFrame = maxFrame;
        this.session = session;
        this.lastStep = lastStep;
    }

    static Handshake read(Request request) throws ProtocolException {
        ByteReader in = request.body;
        int major = in.uv(Integer.MAX_VALUE, "major");
        in.uv();
        byte[] nonce = in.fixed(Wire.NONCE_BYTES);
        byte[] mac = in.fixed(Wire.MAC_BYTES);
        int maxFrame = in.uv(Wire.MAX_FRAME_TO_HOST, "max_frame");
        if (maxFrame < Wire.MIN_FRAME_TO_HOST) {
            throw ProtocolException.limit("max_frame is " + maxFrame + ", at least " + Wire.MIN_FRAME_TO_HOST + " is needed");
        }
        boolean resume = request.op == Wire.RESUME;
        return new Handshake(major, nonce, mac, maxFrame, resume ? in.u64() : 0, resume ? in.uv() : 0);
    }

    boolean provesToken(byte[] token, byte[] nonce) {
        // Constant time, so that nobody can guess the code byte by byte.
        return MessageDigest.isEqual(mac, hostMac(token, nonce, hostNonce));
    }

    public static byte[] hostMac(byte[] token, byte[] nonce, byte[] hostNonce) {
        return mac(token, HOST, nonce, hostNonce);
    }

    public static byte[] agentMac(byte[] token, byte[] nonce, byte[] hostNonce) {
        return mac(token, AGENT, hostNonce, nonce);
    }

    static byte[] hello(Backend.Facts facts, String build, byte[] nonce) {
        ByteWriter out = new ByteWriter();
        out.uv(0).uv(0);
        out.u32(Wire.MAGIC).uv(Wire.MAJOR).uv(Wire.MINOR).str(build).u8(facts.backend).uv(facts.sdk);
        out.uv(facts.width).uv(facts.height).uv(facts.density).u8(facts.rotation).uv(facts.caps).raw(nonce);
        return new Frame(Wire.EVENT, Wire.HELLO, 0, out.toBytes()).toBytes();
    }

    /** The token from its line on stdin. */
    public static byte[] parseToken(String line) throws AgentException {
        String hex = line == null ? "" : line.trim();
        if (!hex.matches("[0-9a-fA-F]{" + Wire.TOKEN_BYTES * 2 + "}")) {
            throw new AgentException(AgentException.AUTH, "the token on stdin must be " + Wire.TOKEN_BYTES * 2 + " hex digits and a newline");
        }
        byte[] token = new byte[Wire.TOKEN_BYTES];
        for (int i = 0; i < token.length; i++) {
            token[i] = (byte) Integer.parseInt(hex.substring(i * 2, i * 2 + 2), 16);
        }
        return token;
    }

    private static byte[] mac(byte[] token, byte[] label, byte[] first, byte[] second) {
        try {
            Mac hmac = Mac.getInstance("HmacSHA256");
            hmac.init(new SecretKeySpec(token, "HmacSHA256"));
            hmac.update(label);
            hmac.update(first);
            hmac.update(second);
            return hmac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }
}
