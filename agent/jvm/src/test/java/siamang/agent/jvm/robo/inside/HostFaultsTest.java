package siamang.agent.jvm.robo.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import org.junit.Test;

public final class HostFaultsTest {
    @Test
    public void whatHardwareDoesNotAnswerIsTheHosts() {
        NullPointerException nothing = new NullPointerException(
                "Cannot load from int array because the return value of \"android.media.audiofx.Visualizer.getCaptureSizeRange()\" is null");
        assertEquals("hardware that the JVM does not have: nothing came from android.media.audiofx.Visualizer.getCaptureSizeRange",
                HostFaults.reason(new RuntimeException("Unable to start activity", nothing)));
    }

    @Test
    public void whatTheAppForgotIsTheApps() {
        assertNull(HostFaults.reason(new NullPointerException(
                "Cannot invoke \"android.os.Bundle.getString(String)\" because the return value of \"android.content.Intent.getExtras()\" is null")));
        assertNull(HostFaults.reason(new NullPointerException(
                "Cannot invoke \"String.length()\" because the return value of \"com.example.Own.name()\" is null")));
        assertNull(HostFaults.reason(new NullPointerException()));
    }
}
