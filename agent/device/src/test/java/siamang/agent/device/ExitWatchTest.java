package siamang.agent.device;

import static org.junit.Assert.assertEquals;

import android.app.ActivityManager;
import android.app.IActivityManager;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.Test;
import siamang.agent.core.EventSink;

public class ExitWatchTest {
    private final List<String> told = new ArrayList<String>();
    private int pid = 70;
    private String reason = "1 (EXIT_SELF)";

    private final ActivityService activities = new ActivityService((IActivityManager) proxy(IActivityManager.class, new InvocationHandler() {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            if (!method.getName().equals("getRunningAppProcesses")) {
                return null;
            }
            ActivityManager.RunningAppProcessInfo info = new ActivityManager.RunningAppProcessInfo();
            info.pid = pid;
            info.processName = "com.example";
            info.pkgList = new String[] {"com.example"};
            return pid == 0 ? null : Collections.singletonList(info);
        }
    }));

    private final ExitWatch watch = new ExitWatch(activities) {
        @Override
        boolean knowsReasons() {
            return true;
        }

        @Override
        String print(String pkg) {
            return "ApplicationExitInfo #0:\n  pid=70\n  process=com.example\n  reason=" + reason + "\n  status=3\n";
        }
    };

    @Test
    public void an_app_that_ends_itself_is_told_once() throws Exception {
        open();
        watch.look("com.example");
        watch.look("com.example");
        pid = 0;
        watch.look("com.example");
        watch.look("com.example");
        assertEquals("[exit com.example 70 exit(3)]", told.toString());
    }

    @Test
    public void also_if_the_system_has_started_it_again_meanwhile() throws Exception {
        open();
        watch.look("com.example");
        pid = 71;
        watch.look("com.example");
        assertEquals("[exit com.example 70 exit(3)]", told.toString());
    }

    @Test
    public void what_others_ended_and_what_we_ended_is_no_failure() throws Exception {
        open();
        reason = "4 (APP CRASH(EXCEPTION))";
        watch.look("com.example");
        pid = 0;
        watch.look("com.example");
        reason = "1 (EXIT_SELF)";
        pid = 70;
        watch.look("com.example");
        watch.forget();
        pid = 0;
        watch.look("com.example");
        assertEquals("[]", told.toString());
    }

    private void open() {
        watch.open((EventSink) proxy(EventSink.class, new InvocationHandler() {
            @Override
            public Object invoke(Object proxy, Method method, Object[] arguments) {
                told.add(method.getName() + " " + arguments[0] + " " + arguments[1] + " " + arguments[2]);
                return null;
            }
        }));
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
