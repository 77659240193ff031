package siamang.agent.device;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.fail;

import android.app.ActivityManager;
import android.app.IActivityManager;
import android.content.ComponentName;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;
import siamang.agent.core.AgentException;

/** Through the real interface of API 34, with a stand-in behind it. */
public class ActivityServiceTest {
    private final List<String> calls = new ArrayList<String>();
    private Object answer;
    private RuntimeException failure;

    private final ActivityService service = new ActivityService((IActivityManager) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {IActivityManager.class}, new InvocationHandler() {
                @Override
                public Object invoke(Object proxy, Method method, Object[] arguments) {
                    calls.add(method.getName() + (arguments == null ? "[]" : Arrays.toString(arguments)));
                    if (failure != null) {
                        throw failure;
                    }
                    return answer;
                }
            }));

    @Test
    public void the_look_up_chooses_the_form_that_this_level_has() throws Exception {
        service.setController(null, true);
        assertEquals(Collections.singletonList("setActivityController[null, true]"), calls);
    }

    @Test
    public void processes_are_those_that_run_code_of_the_package() throws Exception {
        answer = Arrays.asList(process(10, "com.example"), process(11, "com.other"), process(12, "com.other", "com.example"), process(13));
        assertEquals(Arrays.asList(10, 12), service.processes("com.example"));
        ActivityManager.RunningAppProcessInfo atWork = process(14, "com.example");
        atWork.uid = 10 * 100_000 + 10_123;
        answer = Arrays.asList(atWork, process(10, "com.example"));
        assertEquals("the work profile's is another", Collections.singletonList(10), service.processes("com.example"));
        answer = null;
        assertEquals(Collections.<Integer>emptyList(), service.processes("com.example"));
    }

    @Test
    public void the_top_is_the_first_task_s_top_activity() throws Exception {
        ActivityManager.RunningTaskInfo task = new ActivityManager.RunningTaskInfo();
        task.topActivity = new ComponentName("com.example", "com.example.Main");
        answer = Collections.singletonList(task);
        assertEquals(task.topActivity, service.top());
        assertEquals(Collections.singletonList("getTasks[1]"), calls);
        answer = Collections.emptyList();
        assertNull(service.top());
    }

    @Test
    public void a_refusal_of_the_system_says_what_was_refused() {
        failure = new SecurityException("needs REAL_GET_TASKS");
        try {
            service.top();
            fail("no error");
        } catch (AgentException e) {
            assertEquals(AgentException.UNSUPPORTED, e.code());
            assertEquals("the system does not let the shell list tasks", e.getMessage());
            assertEquals("needs REAL_GET_TASKS", e.detail());
        }
    }

    private static ActivityManager.RunningAppProcessInfo process(int pid, String... packages) {
        ActivityManager.RunningAppProcessInfo info = new ActivityManager.RunningAppProcessInfo();
        info.pid = pid;
        info.uid = 10_123;
        info.pkgList = packages;
        return info;
    }
}
