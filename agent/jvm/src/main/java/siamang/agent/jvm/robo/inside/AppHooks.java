package siamang.agent.jvm.robo.inside;

import android.os.SystemClock;
import java.lang.reflect.Method;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.robolectric.shadows.ShadowSystemClock;

/** What calls in the app's own code became when its classes were loaded. Runs on the app's threads. */
public final class AppHooks {
    /** 2026-01-01, when the device was first switched on; every run has the same wall clock. */
    private static final long BOOT_WALL_MS = 1_767_225_600_000L;

    private static final int MAX_THREADS = 500;
    private static final StackWalker CALLER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private AppHooks() {
    }

    /** Called by each class of the app once. One of an earlier life, which a stopped thread of that life still needs, is not counted. */
    public static boolean[] probes(int number, int count) {
        boolean lives = CALLER.getCallerClass().getClassLoader() == AppProcess.current().loader;
        return lives ? Probes.of(number, count) : new boolean[count];
    }

    public static void entered(String callback) {
        Callbacks.entered(callback);
    }

    public static long currentTimeMillis() {
        return BOOT_WALL_MS + SystemClock.uptimeMillis();
    }

    public static long nanoTime() {
        return SystemClock.uptimeMillis() * 1_000_000;
    }

    public static double random() {
        return AppProcess.current().random.nextDouble();
    }

    public static long randomSeed() {
        return AppProcess.current().random.nextLong();
    }

    public static UUID randomUuid() {
        byte[] bytes = new byte[16];
        AppProcess.current().random.nextBytes(bytes);
        return UUID.nameUUIDFromBytes(bytes);
    }

    public static void shuffle(List<?> list) {
        Collections.shuffle(list, new Random(randomSeed()));
    }

    public static ThreadLocalRandom threadsRandom() {
        return Chance.ofThread();
    }

    public static Calendar calendar() {
        return set(Calendar.getInstance());
    }

    public static Calendar calendar(TimeZone zone) {
        return set(Calendar.getInstance(zone));
    }

    public static Calendar calendar(Locale locale) {
        return set(Calendar.getInstance(locale));
    }

    public static Calendar calendar(TimeZone zone, Locale locale) {
        return set(Calendar.getInstance(zone, locale));
    }

    private static Calendar set(Calendar calendar) {
        calendar.setTimeInMillis(currentTimeMillis());
        return calendar;
    }

    public static Instant instant() {
        return Instant.ofEpochMilli(currentTimeMillis());
    }

    public static LocalDate localDate() {
        return zonedDateTime().toLocalDate();
    }

    public static LocalTime localTime() {
        return zonedDateTime().toLocalTime();
    }

    public static LocalDateTime localDateTime() {
        return zonedDateTime().toLocalDateTime();
    }

    public static ZonedDateTime zonedDateTime() {
        return instant().atZone(ZoneId.systemDefault());
    }

    /** Sleep is a matter of device time: on the main thread the clock moves on, elsewhere the thread waits for it to. */
    public static void sleep(long ms) throws InterruptedException {
        if (ms <= 0) {
            Thread.sleep(ms);
        } else if (JvmBackend.get().main.isCurrent()) {
            ShadowSystemClock.advanceBy(java.time.Duration.ofMillis(ms));
            JvmBackend.get().threads.wake(AppProcess.current());
        } else {
            JvmBackend.get().threads.sleep(ms);
        }
    }

    public static void parkNanos(long ns) {
        parkNanos(null, ns);
    }

    /** A pause with a limit, which others may cut short: what coroutines and executors of the app wait with. */
    public static void parkNanos(Object blocker, long ns) {
        if (ns <= 0 || JvmBackend.get().main.isCurrent()) {
            LockSupport.parkNanos(blocker, ns);
        } else {
            JvmBackend.get().threads.park(blocker, Math.max(1, ns / 1_000_000));
        }
    }

    public static ScheduledExecutorService newScheduledThreadPool(int threads) {
        return new VirtualScheduler(threads);
    }

    public static ScheduledExecutorService newScheduledThreadPool(int threads, ThreadFactory factory) {
        return new VirtualScheduler(threads, factory);
    }

    public static ScheduledExecutorService newSingleThreadScheduledExecutor() {
        return Executors.unconfigurableScheduledExecutorService(new VirtualScheduler(1));
    }

    public static ScheduledExecutorService newSingleThreadScheduledExecutor(ThreadFactory factory) {
        return Executors.unconfigurableScheduledExecutorService(new VirtualScheduler(1, factory));
    }

    /** The app meets its limit before the fence's, which would take the host's own threads, too. */
    public static void start(Thread thread) {
        if (thread.getThreadGroup() != null && thread.getThreadGroup().activeCount() > MAX_THREADS) {
            throw new OutOfMemoryError("pthread_create failed: the app has " + MAX_THREADS + " threads");
        }
        thread.start();
    }

    public static void exit(int code) {
        end("System.exit(" + code + ")");
    }

    public static void runtimeExit(Runtime runtime, int code) {
        exit(code);
    }

    /** What the app looks up by name it calls in no way that is seen here, so that it is given the host's. */
    public static Method found(Method method) {
        Class<?> owner = method.getDeclaringClass();
        boolean ends = owner == System.class && method.getName().equals("exit")
                || owner == Runtime.class && (method.getName().equals("exit") || method.getName().equals("halt"));
        if (!ends) {
            return method;
        }
        try {
            // Static, so that it does not matter what it is called on.
            return AppHooks.class.getMethod("exit", int.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void killProcess(int pid) {
        if (pid == android.os.Process.myPid()) {
            end("Process.killProcess");
        }
    }

    public static void loadLibrary(String name) {
        throw new UnsatisfiedLinkError("native library " + name + " cannot be loaded on the JVM");
    }

    private static void end(String how) {
        JvmBackend.get().crashes.exited(how);
        throw new AppProcess.Ended();
    }
}
