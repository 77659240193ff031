package siamang.agent.jvm.robo;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Edits of Robolectric's shadows as they are loaded. Subclassing a shadow would not do: ShadowTabActivity and its like
 * are siblings. Every name below is of 4.16.1; one that is missing stops the host, because what it mends would be silently wrong.
 */
final class Patches {
    private static final String SHADOWS = "org.robolectric.shadows.";
    private static final String HOOKS = "siamang/agent/jvm/robo/inside/Hooks";
    private static final String ANDROIDS_JAVA = "siamang/agent/jvm/robo/inside/AndroidsJava";
    private static final String ALL = "*";

    /** Shadow methods that go away, so that the framework's own code runs. */
    private static final Map<String, Set<String>> DROPPED = Map.of(
            SHADOWS + "ShadowActivity", Set.of("showDialog", "dismissDialog", "removeDialog", "getParent", "setParent"),
            // It keeps every event of a life, and with it every view and activity that ever was. And to it all windows are in the corner.
            SHADOWS + "ShadowAccessibilityManager", Set.of("sendAccessibilityEvent", "getWindowTransformationSpec"),
            SHADOWS + "ShadowTabHost", Set.of(ALL),
            SHADOWS + "ShadowTabHost$ShadowTabSpec", Set.of(ALL),
            SHADOWS + "ShadowTabSpec", Set.of(ALL),
            SHADOWS + "ShadowTabWidget", Set.of(ALL),
            SHADOWS + "ShadowActivityGroup", Set.of("getCurrentActivity"),
            SHADOWS + "ShadowTabActivity", Set.of("getTabHost", "getTabWidget"));

    /** Shadow methods that become a call of Hooks, with the real object, where that matters, in front of the arguments. Of several with one name, one. */
    private static final Map<String, Set<String>> HOOKED = Map.of(
            SHADOWS + "ShadowActivity",
            Set.of("onBackPressed", "getCurrentFocus", "isTaskRoot", "finishAffinity", "finish", "finishAndRemoveTask", "moveTaskToBack", "recreate"),
            SHADOWS + "ShadowLoadedApk", Set.of("getClassLoader", "getSplitClassLoader"),
            SHADOWS + "ShadowActivityManager", Set.of("getRunningTasks", "getAppTasks", "getRunningAppProcesses"),
            SHADOWS + "ShadowAppTask", Set.of("finishAndRemoveTask"),
            SHADOWS + "ShadowToast", Set.of("show", "cancel"),
            SHADOWS + "ShadowInputMethodManager", Set.of("showSoftInput(Landroid/view/View;ILandroid/os/ResultReceiver;)Z",
                    "hideSoftInputFromWindow(Landroid/os/IBinder;ILandroid/os/ResultReceiver;)Z", "toggleSoftInput(II)V"));

    private static final Map<String, String[]> REAL_OBJECT = Map.of(
            SHADOWS + "ShadowActivity", new String[] {"realActivity", "Landroid/app/Activity;"},
            SHADOWS + "ShadowLoadedApk", new String[] {"realLoadedApk", "Landroid/app/LoadedApk;"},
            SHADOWS + "ShadowToast", new String[] {"toast", "Landroid/widget/Toast;"});

    /** What this one sets for a life is the host's to decide. */
    private static final String ENVIRONMENT = "org.robolectric.android.internal.AndroidTestEnvironment";
    private static final String SETTINGS = "org/robolectric/RuntimeEnvironment";
    private static final Set<String> HOSTED = Set.of("setAndroidFrameworkJarPath", "setTempDirectory");

    /** Whose Class.forName must see the app's present loader: the JVM remembers what the first one answered. */
    private static final Set<String> NAMING = Set.of(
            SHADOWS + "ClassNameResolver", SHADOWS + "ShadowContentResolver", SHADOWS + "ShadowIntent", SHADOWS + "ShadowRemoteViewsAdapter",
            ENVIRONMENT, "org.robolectric.android.internal.RoboMonitoringInstrumentation");

    /** Calls in classes of the framework to what Android's own Java has and a JDK does not, by the class and the called class. */
    private static final Map<String, String> LACKING = Map.of("libcore.icu.LocaleData", "sun/util/locale/provider/CalendarDataUtility");

    /**
     * Methods of the framework that have done their work when they are called. One waits for the disk, but a process that
     * dies does not lose what the system has taken; the magnifier over a text that is being selected needs a surface of its
     * own and has nothing to touch.
     */
    private static final Map<String, Set<String>> DONE = Map.of(
            "android.os.FileUtils", Set.of("$$robo$$android_os_FileUtils$sync"),
            "android.widget.Magnifier", Set.of("$$robo$$android_widget_Magnifier$show", "$$robo$$android_widget_Magnifier$update"));

    /** It copies all that a package has through a parcel, to answer what its label is; an app can have hundreds of activities. */
    private static final String PACKAGES = SHADOWS + "ShadowApplicationPackageManager";
    /** What is left of the screen for a window; it knows of no keyboard. */
    private static final String BARS = SHADOWS + "SystemUi";
    private static final String ROOM = "adjustFrameForInsets";
    /** Services of the system that nobody has written answer null to everything; a phone has at least an empty list. */
    private static final String SERVICES = SHADOWS + "ShadowServiceManager$BinderService";
    private static final String NULLS = "createNullProxy";
    /** It makes its service itself. */
    private static final String ACCESSIBILITY = SHADOWS + "ShadowAccessibilityManager";
    /** The device's clock: it moves whenever a frame is asked for, and for any thread that sleeps. */
    private static final String CLOCK = SHADOWS + "ShadowPausedSystemClock";
    /** What the looper does until nothing is due any more, which never comes for a message that is sent again until time has passed. */
    private static final String LOOPER = SHADOWS + "ShadowPausedLooper$IdlingRunnable";
    /** Where something must have been found that is none of the lists above. */
    private static final Set<String> SELF = Set.of(PACKAGES, BARS, SERVICES, ACCESSIBILITY, LOOPER);
    private static final String PACKAGE_INFO = "Landroid/content/pm/PackageInfo;";

    private Patches() {
    }

    static byte[] apply(String name, byte[] bytes) {
        Set<String> dropped = DROPPED.getOrDefault(name, Set.of());
        Set<String> hooked = HOOKED.getOrDefault(name, Set.of());
        boolean naming = NAMING.contains(name);
        String lacking = LACKING.get(name);
        Set<String> finished = DONE.getOrDefault(name, Set.of());
        if (dropped.isEmpty() && hooked.isEmpty() && !naming && lacking == null && finished.isEmpty() && !name.equals(PACKAGES) && !name.equals(BARS)
                && !name.equals(SERVICES) && !name.equals(CLOCK) && !name.equals(LOOPER)) {
            return bytes;
        }
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, 0);
        Set<String> done = new HashSet<>();
        for (MethodNode method : node.methods) {
            if (naming) {
                redirectForName(method);
            }
            if (name.equals(ENVIRONMENT)) {
                done.addAll(redirectSettings(method));
            }
            if (lacking != null) {
                redirectCalls(method, lacking);
            }
            if (name.equals(PACKAGES) && copyLess(method)) {
                done.add(PACKAGES);
            }
            if (name.equals(BARS) && method.name.equals(ROOM)) {
                askAtTheEnd(method);
                done.add(BARS);
            }
            if ((name.equals(SERVICES) || name.equals(ACCESSIBILITY)) && answerEmpty(method)) {
                done.add(name);
            }
            if (name.equals(CLOCK) && method.name.equals("internalAdvanceBy")) {
                method.instructions.insert(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, "clockMoves", "()V", false));
                done.add(method.name);
            }
            if (name.equals(CLOCK) && method.name.equals("sleep")) {
                sleepElsewhere(method);
                done.add(method.name);
            }
            if (name.equals(LOOPER) && method.name.equals("doRun") && endsEarly(method)) {
                done.add(LOOPER);
            }
            if (finished.contains(method.name)) {
                answer(method);
                done.add(method.name);
            }
            if (!isImplementation(method)) {
                continue;
            }
            if (dropped.contains(ALL) || dropped.contains(method.name)) {
                // Robolectric looks at public and protected methods only; taking the annotation away is not enough.
                method.access &= ~(Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED);
                done.add(method.name);
            } else if (hooked.contains(method.name) || hooked.contains(method.name + method.desc)) {
                hook(name, node, method);
                done.add(method.name);
                done.add(method.name + method.desc);
            }
        }
        checkAll(name, dropped, done);
        checkAll(name, hooked, done);
        checkAll(name, finished, done);
        checkAll(name, SELF.contains(name) ? Set.of(name) : Set.of(), done);
        checkAll(name, name.equals(ENVIRONMENT) ? HOSTED : Set.of(), done);
        checkAll(name, name.equals(CLOCK) ? Set.of("internalAdvanceBy", "sleep") : Set.of(), done);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        return writer.toByteArray();
    }

    private static void checkAll(String name, Set<String> wanted, Set<String> done) {
        for (String method : wanted) {
            if (!method.equals(ALL) && !done.contains(method)) {
                throw new IllegalStateException(name + "." + method + " is not there: this is not the Robolectric that the patches were made for");
            }
        }
    }

    private static boolean isImplementation(MethodNode method) {
        if (method.visibleAnnotations == null || method.name.startsWith("<")) {
            return false;
        }
        for (AnnotationNode annotation : method.visibleAnnotations) {
            if (annotation.desc.endsWith("/Implementation;")) {
                return true;
            }
        }
        return false;
    }

    /** Returns the calls that were found. */
    private static Set<String> redirectSettings(MethodNode method) {
        Set<String> found = new HashSet<>();
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof MethodInsnNode call && call.owner.equals(SETTINGS) && HOSTED.contains(call.name)) {
                call.owner = HOOKS;
                found.add(call.name);
            }
        }
        return found;
    }

    private static void redirectForName(MethodNode method) {
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof MethodInsnNode call && call.owner.equals("java/lang/Class") && call.name.equals("forName")
                    && call.desc.equals("(Ljava/lang/String;)Ljava/lang/Class;")) {
                call.owner = HOOKS;
            }
        }
    }

    private static void redirectCalls(MethodNode method, String from) {
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof MethodInsnNode call && call.owner.equals(from)) {
                call.owner = ANDROIDS_JAVA;
            }
        }
    }

    /** The copy is made by somebody who knows what was asked for: the flags are the second argument, a long. */
    private static boolean copyLess(MethodNode method) {
        if (!method.desc.equals("(Ljava/lang/String;J)" + PACKAGE_INFO)) {
            return false;
        }
        boolean found = false;
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof MethodInsnNode call && call.name.equals("newPackageInfo")) {
                method.instructions.insertBefore(call, new VarInsnNode(Opcodes.LLOAD, 2));
                call.owner = HOOKS;
                call.name = "copyOf";
                call.desc = "(" + PACKAGE_INFO + "J)" + PACKAGE_INFO;
                found = true;
            }
        }
        return found;
    }

    private static boolean answerEmpty(MethodNode method) {
        boolean found = false;
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof MethodInsnNode call && call.name.equals(NULLS)) {
                call.owner = HOOKS;
                found = true;
            }
        }
        return found;
    }

    /** Hooks gets the arguments when the method has done what it does. */
    private static void askAtTheEnd(MethodNode method) {
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction.getOpcode() == Opcodes.RETURN) {
                method.instructions.insertBefore(instruction, new VarInsnNode(Opcodes.ALOAD, 1));
                method.instructions.insertBefore(instruction, new VarInsnNode(Opcodes.ALOAD, 2));
                method.instructions.insertBefore(instruction, new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, method.name, method.desc, false));
            }
        }
    }

    /** Asks after each message whether to go on: its first jump leads out of the loop, its last one back. */
    private static boolean endsEarly(MethodNode method) {
        JumpInsnNode out = null;
        JumpInsnNode back = null;
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof JumpInsnNode jump && jump.getOpcode() == Opcodes.GOTO) {
                out = out == null ? jump : out;
                back = jump;
            }
        }
        if (back == out) {
            return false;
        }
        method.instructions.insertBefore(back, new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, "dispatched", "()Z", false));
        method.instructions.insertBefore(back, new JumpInsnNode(Opcodes.IFNE, out.label));
        return true;
    }

    /** Only the main thread moves the clock by sleeping; another one waits until it has moved. */
    private static void sleepElsewhere(MethodNode method) {
        InsnList before = new InsnList();
        LabelNode own = new LabelNode();
        before.add(new VarInsnNode(Opcodes.LLOAD, 0));
        before.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, "sleeps", "(J)Z", false));
        before.add(new JumpInsnNode(Opcodes.IFEQ, own));
        before.add(new InsnNode(Opcodes.RETURN));
        before.add(own);
        before.add(new FrameNode(Opcodes.F_SAME, 0, null, 0, null));
        before.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, "clockMoves", "()V", false));
        method.instructions.insert(before);
    }

    /** Yes or nothing, as the method's type wants it. */
    private static void answer(MethodNode method) {
        InsnList body = new InsnList();
        Type type = Type.getReturnType(method.desc);
        if (type.getSort() == Type.BOOLEAN) {
            body.add(new InsnNode(Opcodes.ICONST_1));
        }
        body.add(new InsnNode(type.getOpcode(Opcodes.IRETURN)));
        method.instructions = body;
        method.tryCatchBlocks.clear();
        method.localVariables = null;
    }

    private static void hook(String name, ClassNode node, MethodNode method) {
        String[] real = REAL_OBJECT.get(name);
        InsnList body = new InsnList();
        if (real != null) {
            body.add(new VarInsnNode(Opcodes.ALOAD, 0));
            body.add(new FieldInsnNode(Opcodes.GETFIELD, node.name, real[0], real[1]));
        }
        int local = 1;
        for (Type argument : Type.getArgumentTypes(method.desc)) {
            body.add(new VarInsnNode(argument.getOpcode(Opcodes.ILOAD), local));
            local += argument.getSize();
        }
        body.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, method.name, "(" + (real == null ? "" : real[1]) + method.desc.substring(1), false));
        body.add(new InsnNode(Type.getReturnType(method.desc).getOpcode(Opcodes.IRETURN)));
        method.instructions = body;
        method.tryCatchBlocks.clear();
        method.localVariables = null;
    }
}
