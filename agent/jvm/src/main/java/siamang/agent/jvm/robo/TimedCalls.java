package siamang.agent.jvm.robo;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** Which calls of the JDK wait for a time, and how the host's stand-ins for them are called. */
final class TimedCalls {
    static final String HOOKS = "siamang/agent/jvm/robo/inside/TimedWaits";

    private static final String CONCURRENT = "java/util/concurrent/";
    private static final String TIME = "JLjava/util/concurrent/TimeUnit;";

    /** From {@code owner.name descriptor} to the descriptor of the stand-in, which has the same name. */
    private static final Map<String, String> CALLS = new HashMap<>();

    static {
        of("java/lang/Thread").calls("join(J)V", "join(JI)V");
        of("java/lang/Thread").callsStatic("sleep(JI)V");
        of(CONCURRENT + "locks/LockSupport").callsStatic("parkUntil(J)V", "parkUntil(Ljava/lang/Object;J)V");
        of(CONCURRENT + "TimeUnit").calls("sleep(J)V");
        of(CONCURRENT + "locks/Condition", "locks/AbstractQueuedSynchronizer$ConditionObject")
                .calls("await(" + TIME + ")Z", "awaitNanos(J)J", "awaitUntil(Ljava/util/Date;)Z");
        of(CONCURRENT + "BlockingQueue", "LinkedBlockingQueue", "ArrayBlockingQueue", "PriorityBlockingQueue", "SynchronousQueue", "TransferQueue",
                "LinkedTransferQueue", "BlockingDeque", "LinkedBlockingDeque")
                .calls("poll(" + TIME + ")Ljava/lang/Object;", "offer(Ljava/lang/Object;" + TIME + ")Z");
        of(CONCURRENT + "BlockingDeque", "LinkedBlockingDeque")
                .calls("pollFirst(" + TIME + ")Ljava/lang/Object;", "pollLast(" + TIME + ")Ljava/lang/Object;",
                        "offerFirst(Ljava/lang/Object;" + TIME + ")Z", "offerLast(Ljava/lang/Object;" + TIME + ")Z");
        of(CONCURRENT + "TransferQueue", "LinkedTransferQueue").calls("tryTransfer(Ljava/lang/Object;" + TIME + ")Z");
        of(CONCURRENT + "Exchanger").calls("exchange(Ljava/lang/Object;" + TIME + ")Ljava/lang/Object;");
        of(CONCURRENT + "CyclicBarrier").calls("await(" + TIME + ")I");
        of(CONCURRENT + "Phaser").calls("awaitAdvanceInterruptibly(I" + TIME + ")I");
        of(CONCURRENT + "locks/StampedLock").calls("tryReadLock(" + TIME + ")J", "tryWriteLock(" + TIME + ")J");
        of(CONCURRENT + "Future", "FutureTask", "RunnableFuture", "ScheduledFuture", "RunnableScheduledFuture", "CompletableFuture")
                .calls("get(" + TIME + ")Ljava/lang/Object;");
        of(CONCURRENT + "CountDownLatch").calls("await(" + TIME + ")Z");
        of(CONCURRENT + "Semaphore").calls("tryAcquire(" + TIME + ")Z", "tryAcquire(I" + TIME + ")Z");
        of(CONCURRENT + "locks/Lock", "locks/ReentrantLock", "locks/ReentrantReadWriteLock$ReadLock", "locks/ReentrantReadWriteLock$WriteLock")
                .calls("tryLock(" + TIME + ")Z");
        of(CONCURRENT + "ExecutorService", "AbstractExecutorService", "ThreadPoolExecutor", "ScheduledExecutorService", "ScheduledThreadPoolExecutor")
                .calls("awaitTermination(" + TIME + ")Z");
        of(CONCURRENT + "CompletionService", "ExecutorCompletionService").calls("poll(" + TIME + ")Ljava/util/concurrent/Future;");
    }

    private TimedCalls() {
    }

    /** The descriptor of the stand-in for a call, or null if the call waits for no time. */
    static String instead(String owner, String name, String descriptor) {
        // Nobody can have a method of this name and these arguments but Object.
        if (name.equals("wait") && (descriptor.equals("(J)V") || descriptor.equals("(JI)V"))) {
            return "(Ljava/lang/Object;" + descriptor.substring(1);
        }
        return owner.startsWith("java/") ? CALLS.get(owner + "." + name + descriptor) : null;
    }

    /** The calls of particular classes. */
    static Map<String, String> all() {
        return Collections.unmodifiableMap(CALLS);
    }

    /** Classes that the stand-in knows by what the first of them is; the others are in the package java.util.concurrent. */
    private static Owners of(String first, String... others) {
        return new Owners(first, others);
    }

    private record Owners(String first, String[] others) {
        void calls(String... methods) {
            for (String method : methods) {
                String instead = method.substring(method.indexOf('(')).replaceFirst("\\(", "(L" + first.replace("$", "\\$") + ";");
                CALLS.put(first + "." + method, instead);
                for (String other : others) {
                    CALLS.put(CONCURRENT + other + "." + method, instead);
                }
            }
        }

        void callsStatic(String... methods) {
            for (String method : methods) {
                CALLS.put(first + "." + method, method.substring(method.indexOf('(')));
            }
        }
    }
}
