package siamang.agent.core;

/** An encoded screenshot. */
public final class Shot {
    public static final int PNG = 1;
    public static final int JPEG = 2;

    public final int format;
    public final int width;
    public final int height;
    public final byte[] image;

    public Shot(int format, int width, int height, byte[] image) {
        this.format = format;
        this.width = width;
        this.height = height;
        this.image = image;
    }

    ByteWriter writeTo(ByteWriter out) {
        return out.u8(format).uv(width).uv(height).bytes(image);
    }
}
