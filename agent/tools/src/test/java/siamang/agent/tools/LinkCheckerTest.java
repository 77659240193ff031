package siamang.agent.tools;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Before;
import org.junit.Test;
import siamang.agent.device.Lookups;

/** The agent links everywhere, and a fault planted in a copy of a list is found with class, member and levels. */
public class LinkCheckerTest {
    private static final File AGENT = new File(System.getProperty("agent.dir"));
    private static final File LISTS = new File(AGENT, "link");

    private final Map<Integer, String> texts = new TreeMap<Integer, String>();
    private AgentClasses agent;
    private ApiList java;

    @Before
    public void read() throws IOException {
        agent = AgentClasses.read(new File(AGENT, "core/target/classes"), new File(AGENT, "device/target/classes"));
        for (int level = LinkChecker.FIRST_LEVEL; level <= LinkChecker.LAST_LEVEL; level++) {
            texts.put(level, text("api-" + level + ".txt"));
        }
        java = ApiList.parse(new StringReader(text("java-21.txt")));
    }

    @Test
    public void the_agent_links_at_every_level_from_21_to_36() throws IOException {
        assertEquals(Collections.<String>emptyList(), LinkChecker.check(agent, Lookups.all(), LISTS));
    }

    @Test
    public void every_list_is_small_and_comes_from_the_jar_that_levels_txt_names() throws IOException {
        String levels = text("levels.txt");
        for (int level = LinkChecker.FIRST_LEVEL; level <= LinkChecker.LAST_LEVEL; level++) {
            assertTrue(texts.get(level).length() <= LinkLists.MAX_BYTES);
            ApiList list = ApiList.parse(new StringReader(texts.get(level)));
            assertEquals(level, list.level);
            assertTrue(levels, levels.contains("\n" + level + " " + list.source + "\n"));
            assertEquals("a list read and printed again", texts.get(level), list.print());
        }
    }

    @Test
    public void a_renamed_method_is_found() throws IOException {
        plant(23, " getRootInActiveWindow()", " getRootInActiveWindowX()");
        plant(24, " getRootInActiveWindow()", " getRootInActiveWindowX()");
        plant(30, " getRootInActiveWindow()", " getRootInActiveWindowX()");
        assertOneProblem("siamang/agent/device/DeviceEyes uses android/app/UiAutomation.getRootInActiveWindow()"
                + "Landroid/view/accessibility/AccessibilityNodeInfo;, which does not exist at API 23-24, 30");
    }

    @Test
    public void a_changed_parameter_is_found() throws IOException {
        plant(29, " forceStopPackage(%sI)V", " forceStopPackage(%sII)V");
        assertOneProblem("siamang/agent/device/ActivityService uses android/app/IActivityManager.forceStopPackage(Ljava/lang/String;I)V, which does not exist at API 29");
    }

    @Test
    public void a_renamed_field_is_found() throws IOException {
        plant(36, " logicalDensityDpi:I", " densityDpi:I");
        assertOneProblem("siamang/agent/device/DeviceBackend uses android/view/DisplayInfo.logicalDensityDpi:I, which does not exist at API 36");
    }

    @Test
    public void a_class_that_is_gone_is_found() throws IOException {
        plant(35, "abstract android/app/ActivityManagerNative ", "abstract android/app/ActivityManagerGone ");
        List<String> problems = check();
        assertEquals(problems.toString(), 2, problems.size());
        assertEquals("siamang/agent/device/ActivityService names android/app/ActivityManagerNative, which does not exist at API 35", problems.get(0));
        assertTrue(problems.toString(), problems.get(1).startsWith("siamang/agent/device/Services names android/app/ActivityManagerNative"));
    }

    @Test
    public void a_class_in_no_list_asks_for_new_lists() throws IOException {
        for (int level : texts.keySet()) {
            plant(level, "class android/app/UiAutomationConnection ", "class android/app/Other ");
        }
        assertOneProblem("siamang/agent/device/Automation names android/app/UiAutomationConnection, which does not exist in any list; "
                + "if it is new, run scripts/link-lists at API 21-36");
    }

    @Test
    public void a_new_abstract_method_of_a_stub_is_found() throws IOException {
        plant(36, "interface android/app/IActivityController java/lang/Object android/os/IInterface\n",
                "interface android/app/IActivityController java/lang/Object android/os/IInterface\n appFroze(%s)V\n");
        assertOneProblem("siamang/agent/device/Controller has no body for android/app/IActivityController.appFroze(Ljava/lang/String;)V at API 36");
    }

    @Test
    public void a_look_up_without_any_form_is_found() throws IOException {
        plant(28, " setActivityController(%aIActivityController;Z)V", " setActivityController(%aIActivityController;ZI)V");
        assertOneProblem("the look-up \"watch activities\" finds none of android/app/IActivityManager.setActivityController"
                + "[android.app.IActivityController, boolean] or android/app/IActivityManager.setActivityController[android.app.IActivityController] at API 28");
    }

    @Test
    public void a_look_up_with_another_form_left_is_no_problem() throws IOException {
        plant(28, " setActivityController(%aIActivityController;Z)V", " setActivityController(%aIActivityController;)V");
        assertEquals(Collections.<String>emptyList(), check());
    }

    @Test
    public void a_member_of_a_since_class_must_exist_from_its_level_on() throws IOException {
        assertTrue("not there before", !texts.get(25).contains(" getHintText()"));
        plant(26, " getHintText()", " getHintTextX()");
        assertOneProblem("siamang/agent/device/Since26 uses android/view/accessibility/AccessibilityNodeInfo.getHintText()Ljava/lang/CharSequence;, "
                + "which does not exist at API 26");
    }

    @Test
    public void an_interface_that_became_a_class_is_found() throws IOException {
        plant(33, "interface android/os/IPowerManager ", "abstract android/os/IPowerManager ");
        List<String> problems = check();
        assertTrue(problems.toString(), problems.contains(
                "siamang/agent/device/ScreenService uses android/os/IPowerManager.isInteractive()Z as a member of an interface, it is a class at API 33"));
    }

    @Test
    public void a_java_method_that_android_5_lacks_is_found() throws IOException {
        java = ApiList.parse(new StringReader(text("java-21.txt").replace(" isEmpty()Z", " isBlank()Z")));
        List<String> problems = check();
        assertTrue(problems.toString(), problems.toString().contains("java/util/ArrayDeque.isEmpty()Z, which does not exist at API 21"));
    }

    @Test
    public void reflection_outside_the_table_is_found() throws IOException {
        AgentClasses withTools = AgentClasses.read(new File(AGENT, "core/target/classes"), new File(AGENT, "tools/target/classes"));
        List<String> problems = LinkChecker.check(withTools, Lookups.all(), LISTS);
        assertTrue(problems.toString(), problems.contains(
                "siamang/agent/tools/LinkChecker reflects by itself (java/lang/Class.forName), outside the table of look-ups"));
    }

    private void plant(int level, String from, String to) {
        String text = texts.get(level);
        assertTrue("nothing to change at " + level + ": " + from, text.contains(from));
        texts.put(level, text.replace(from, to));
    }

    private List<String> check() throws IOException {
        Map<Integer, ApiList> levels = new TreeMap<Integer, ApiList>();
        for (Map.Entry<Integer, String> text : texts.entrySet()) {
            levels.put(text.getKey(), ApiList.parse(new StringReader(text.getValue())));
        }
        return LinkChecker.check(agent, Lookups.all(), levels, java);
    }

    private void assertOneProblem(String expected) throws IOException {
        assertEquals(Collections.singletonList(expected), check());
    }

    private static String text(String name) throws IOException {
        return new String(Files.readAllBytes(new File(LISTS, name).toPath()), StandardCharsets.UTF_8);
    }
}
