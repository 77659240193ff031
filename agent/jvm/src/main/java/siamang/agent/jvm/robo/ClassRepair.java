package siamang.agent.jvm.robo;

import java.util.Map;
import java.util.function.Predicate;
import org.jacoco.core.instr.Instrumenter;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What is done to each class of the app when it is loaded: faults of the converter are mended, calls that would leave
 * the device's time or end the JVM go to the host, callbacks say that they are entered, and probes are put in.
 */
final class ClassRepair {
    private static final String HOOKS = "siamang/agent/jvm/robo/inside/AppHooks";
    /** The lowest version in which interfaces may have code. */
    private static final int JAVA_8 = 52;

    private static final String SCHEDULER = "Ljava/util/concurrent/ScheduledExecutorService;";

    /** Static and virtual calls of {@code owner.name descriptor} that become {@code AppHooks.name} with the same arguments. */
    private static final Map<String, String> REDIRECTED = Map.ofEntries(
            Map.entry("java/lang/System.currentTimeMillis()J", "currentTimeMillis"),
            Map.entry("java/lang/System.nanoTime()J", "nanoTime"),
            Map.entry("java/lang/System.exit(I)V", "exit"),
            Map.entry("java/lang/Runtime.exit(I)V", "runtimeExit"),
            Map.entry("java/lang/Runtime.halt(I)V", "runtimeExit"),
            Map.entry("java/lang/System.loadLibrary(Ljava/lang/String;)V", "loadLibrary"),
            Map.entry("java/lang/System.load(Ljava/lang/String;)V", "loadLibrary"),
            Map.entry("android/os/Process.killProcess(I)V", "killProcess"),
            Map.entry("java/lang/Thread.sleep(J)V", "sleep"),
            Map.entry("java/util/concurrent/locks/LockSupport.parkNanos(J)V", "parkNanos"),
            Map.entry("java/util/concurrent/locks/LockSupport.parkNanos(Ljava/lang/Object;J)V", "parkNanos"),
            Map.entry("java/lang/Thread.start()V", "start"),
            Map.entry("java/util/concurrent/Executors.newScheduledThreadPool(I)" + SCHEDULER, "newScheduledThreadPool"),
            Map.entry("java/util/concurrent/Executors.newScheduledThreadPool(ILjava/util/concurrent/ThreadFactory;)" + SCHEDULER, "newScheduledThreadPool"),
            Map.entry("java/util/concurrent/Executors.newSingleThreadScheduledExecutor()" + SCHEDULER, "newSingleThreadScheduledExecutor"),
            Map.entry("java/util/concurrent/Executors.newSingleThreadScheduledExecutor(Ljava/util/concurrent/ThreadFactory;)" + SCHEDULER,
                    "newSingleThreadScheduledExecutor"),
            Map.entry("java/lang/Math.random()D", "random"),
            Map.entry("java/util/UUID.randomUUID()Ljava/util/UUID;", "randomUuid"),
            Map.entry("java/util/Collections.shuffle(Ljava/util/List;)V", "shuffle"),
            Map.entry("java/util/concurrent/ThreadLocalRandom.current()Ljava/util/concurrent/ThreadLocalRandom;", "threadsRandom"),
            Map.entry("java/util/Calendar.getInstance()Ljava/util/Calendar;", "calendar"),
            Map.entry("java/util/Calendar.getInstance(Ljava/util/TimeZone;)Ljava/util/Calendar;", "calendar"),
            Map.entry("java/util/Calendar.getInstance(Ljava/util/Locale;)Ljava/util/Calendar;", "calendar"),
            Map.entry("java/util/Calendar.getInstance(Ljava/util/TimeZone;Ljava/util/Locale;)Ljava/util/Calendar;", "calendar"),
            Map.entry("java/time/Instant.now()Ljava/time/Instant;", "instant"),
            Map.entry("java/time/LocalDate.now()Ljava/time/LocalDate;", "localDate"),
            Map.entry("java/time/LocalTime.now()Ljava/time/LocalTime;", "localTime"),
            Map.entry("java/time/LocalDateTime.now()Ljava/time/LocalDateTime;", "localDateTime"),
            Map.entry("java/time/ZonedDateTime.now()Ljava/time/ZonedDateTime;", "zonedDateTime"));

    private static final String METHOD = "Ljava/lang/reflect/Method;";
    /** How those end that look a method up by its name. */
    private static final String FINDS = "[Ljava/lang/Class;)" + METHOD;

    /** Constructors without an argument that are given a long of the host's instead. */
    private static final Map<String, String> GIVEN_A_LONG = Map.of("java/util/Random", "randomSeed", "java/util/Date", "currentTimeMillis");

    /** Classes of the JDK that wait by the real clock, and those that stand in for them wherever the app makes one or is one. */
    private static final Map<String, String> STAND_INS = Map.of(
            "java/util/Timer", "siamang/agent/jvm/robo/inside/VirtualTimer",
            "java/util/concurrent/ScheduledThreadPoolExecutor", "siamang/agent/jvm/robo/inside/VirtualScheduler");

    private final String source;
    private final Predicate<String> isInterface;

    /** {@code source} is the file's name from the dex, or null. */
    ClassRepair(String source, Predicate<String> isInterface) {
        this.source = source;
        this.isInterface = isInterface;
    }

    static boolean isInterface(byte[] bytes) {
        return (new ClassReader(bytes).getAccess() & Opcodes.ACC_INTERFACE) != 0;
    }

    /** {@code number} names the class in coverage; negative for classes that are not the app's. */
    byte[] apply(byte[] bytes, String name, int number) {
        byte[] mended = mended(bytes, name, number >= 0);
        if (number < 0) {
            return mended;
        }
        try {
            return new Instrumenter((id, className, probes, method) -> askForProbes(number, probes, method)).instrument(mended, name);
        } catch (java.io.IOException | RuntimeException e) {
            // A class that JaCoCo cannot read runs without probes; its coverage is missing, its behaviour is not.
            return mended;
        }
    }

    /** The class as it runs, without probes. What is told about probes is about these bytes. */
    byte[] mended(byte[] bytes, String name, boolean ofApp) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(0);
        reader.accept(new Mender(writer, source != null ? source : guessedSource(name), ofApp), 0);
        return writer.toByteArray();
    }

    private static int askForProbes(int number, int probes, MethodVisitor method) {
        method.visitLdcInsn(number);
        method.visitLdcInsn(probes);
        method.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "probes", "(II)[Z", false);
        return 2;
    }

    /** What javac would have written for a class in a file of its own. */
    private static String guessedSource(String name) {
        String simple = name.substring(name.lastIndexOf('.') + 1);
        int inner = simple.indexOf('$');
        return (inner > 0 ? simple.substring(0, inner) : simple) + ".java";
    }

    private final class Mender extends ClassVisitor {
        private final String file;
        private final boolean ofApp;
        private String owner;

        Mender(ClassVisitor next, String file, boolean ofApp) {
            super(Opcodes.ASM9, next);
            this.file = file;
            this.ofApp = ofApp;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
            owner = name;
            super.visit(Math.max(version, JAVA_8), access, name, signature, STAND_INS.getOrDefault(superName, superName), interfaces);
            super.visitSource(file, null);
        }

        @Override
        public void visitSource(String ignored, String debug) {
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            String told = ofApp && CallbackNames.isCallback(owner, name, access) ? owner.replace('/', '.') + "." + name : null;
            return new Calls(super.visitMethod(access, name, descriptor, signature, exceptions), told);
        }
    }

    private final class Calls extends MethodVisitor {
        private final String callback;

        /** {@code callback} is told when the method is entered; null for methods that are none. */
        Calls(MethodVisitor next, String callback) {
            super(Opcodes.ASM9, next);
            this.callback = callback;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (callback != null) {
                super.visitLdcInsn(callback);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "entered", "(Ljava/lang/String;)V", false);
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            super.visitTypeInsn(opcode, opcode == Opcodes.NEW ? STAND_INS.getOrDefault(type, type) : type);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean ofInterface) {
            String hook = owner.startsWith("java/") || owner.equals("android/os/Process") ? REDIRECTED.get(owner + "." + name + descriptor) : null;
            if (hook != null) {
                String receiver = opcode == Opcodes.INVOKESTATIC ? "(" : "(L" + owner + ";";
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook, receiver + descriptor.substring(1), false);
                return;
            }
            String waiting = TimedCalls.instead(owner, name, descriptor);
            if (waiting != null) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TimedCalls.HOOKS, name, waiting, false);
                return;
            }
            if (opcode == Opcodes.INVOKESPECIAL && STAND_INS.containsKey(owner)) {
                super.visitMethodInsn(opcode, STAND_INS.get(owner), name, descriptor, false);
                return;
            }
            String given = opcode == Opcodes.INVOKESPECIAL && name.equals("<init>") && descriptor.equals("()V") ? GIVEN_A_LONG.get(owner) : null;
            if (given != null) {
                // A seed or a time of the host's, so that the same run sees the same numbers.
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, given, "()J", false);
                super.visitMethodInsn(opcode, owner, name, "(J)V", false);
                return;
            }
            if (owner.equals("java/lang/Class") && descriptor.endsWith(FINDS)) {
                super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "found", "(" + METHOD + ")" + METHOD, false);
                return;
            }
            boolean plain = opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKESPECIAL && !name.equals("<init>");
            super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface || plain && isInterface.test(owner));
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            // A long is two slots that the converter did not count.
            super.visitMaxs(maxStack + 2, maxLocals);
        }
    }
}
