package siamang.agent.device;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import org.junit.Test;
import siamang.agent.core.AgentException;
import siamang.agent.core.Shot;

/** What programs of the system print, where the framework does not tell. */
public class PhoneFactsTest {
    @Test
    public void the_size_that_the_user_has_set_counts() {
        assertArrayEquals(new int[] {1080, 2400}, WmDisplay.parse("Physical size: 1080x2400"));
        assertArrayEquals(new int[] {720, 1600}, WmDisplay.parse("Physical size: 1080x2400\nOverride size: 720x1600"));
        assertArrayEquals(new int[] {0, 0}, WmDisplay.parse("no such program"));
    }

    @Test
    public void a_picture_of_screencap_has_its_size_in_its_head() throws Exception {
        byte[] png = new byte[40];
        byte[] head = {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 4, 56, 0, 0, 9, 96};
        System.arraycopy(head, 0, png, 0, head.length);
        Shot shot = Screencap.read(png);
        assertEquals(1080, shot.width);
        assertEquals(2400, shot.height);
        assertEquals(png, shot.image);
        try {
            Screencap.read("no pictures today".getBytes("US-ASCII"));
            fail("that is no picture");
        } catch (AgentException e) {
            assertEquals(AgentException.UNSUPPORTED, e.code());
        }
    }
}
