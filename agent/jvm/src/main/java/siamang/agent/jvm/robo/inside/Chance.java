package siamang.agent.jvm.robo.inside;

import java.lang.reflect.Field;
import java.security.Provider;
import java.security.SecureRandomSpi;
import java.security.Security;
import java.util.concurrent.ThreadLocalRandom;

/** Random numbers that the JDK draws for the app: from the process' own generator, so that the same run draws the same. */
public final class Chance extends SecureRandomSpi {
    private static final long serialVersionUID = 1;
    private static final String NAME = "Siamang";

    private static Field seed;

    /** {@code new SecureRandom()} of whoever asks from now on. */
    static void install() {
        if (Security.getProvider(NAME) == null) {
            Security.insertProviderAt(new Source(), 1);
        }
    }

    /** Of the first provider that has one; nothing here is a secret that anybody would want to guess. */
    private static final class Source extends Provider {
        private static final long serialVersionUID = 1;

        Source() {
            super(NAME, "1", "random numbers that can be drawn again");
            putService(new Service(this, "SecureRandom", "Repeatable", Chance.class.getName(), null, null) {
                @Override
                public Object newInstance(Object parameter) {
                    return new Chance();
                }
            });
        }
    }

    /** The JDK seeds each thread's generator from the clock, unless somebody was faster. */
    static ThreadLocalRandom ofThread() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        AppProcess process = AppProcess.current();
        if (process.seeded.get() == null) {
            process.seeded.set(Boolean.TRUE);
            try {
                if (seed == null) {
                    seed = Thread.class.getDeclaredField("threadLocalRandomSeed");
                    seed.setAccessible(true);
                }
                seed.setLong(Thread.currentThread(), AppHooks.randomSeed());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this JDK keeps its generators elsewhere", e);
            }
        }
        return random;
    }

    @Override
    protected void engineSetSeed(byte[] more) {
    }

    @Override
    protected void engineNextBytes(byte[] bytes) {
        AppProcess.current().random.nextBytes(bytes);
    }

    @Override
    protected byte[] engineGenerateSeed(int count) {
        byte[] bytes = new byte[count];
        engineNextBytes(bytes);
        return bytes;
    }
}
