package siamang.agent.jvm.robo;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** The classes of one process life of the app; replaced at a restart while the framework stays loaded and compiled. */
final class AppLoader extends ClassLoader {
    /** Never taken from an APK: the host's own, and what only the JVM may define. */
    private static final String[] NOT_THE_APPS = {"org.robolectric.", "siamang.agent.", "java.", "sun.", "jdk."};

    private final ClassLoader framework;
    private final Code code;
    private final URLClassLoader files;

    AppLoader(ClassLoader framework, Code code) {
        super(framework);
        this.framework = framework;
        this.code = code;
        this.files = new URLClassLoader(code.urls, null);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!code.numbers.containsKey(name)) {
            return framework.loadClass(name);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            byte[] bytes = code.repaired(name, files, framework);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    @Override
    public URL getResource(String name) {
        URL own = files.getResource(name);
        return own != null ? own : framework.getResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> found = Collections.list(files.getResources(name));
        return found.isEmpty() ? framework.getResources(name) : Collections.enumeration(found);
    }

    @Override
    public InputStream getResourceAsStream(String name) {
        InputStream own = files.getResourceAsStream(name);
        return own != null ? own : framework.getResourceAsStream(name);
    }

    /** Somebody who looks at the app's own classes. */
    interface OwnClass {
        void take(int number, String name, byte[] bytes) throws IOException;
    }

    /** What all lives of one app share: where its classes are, and their bytes once they were repaired. */
    static final class Code {
        private final URL[] urls;
        /** Class names and their place in the sorted list: a name for a class that is the same in every run. */
        private final Map<String, Integer> numbers = new HashMap<>();
        private final Map<String, byte[]> repaired = Collections.synchronizedMap(new HashMap<>());
        private final Map<String, String> sources;
        /** Classes of the APK itself; the others were added by the host for old apps. */
        private final int ownClasses;

        /** {@code own} are the app's jars, {@code added} what the system image brings; earlier ones win. */
        Code(List<Path> own, List<Path> added, Map<String, String> sources, Predicate<String> inFramework) throws IOException {
            this.sources = sources;
            List<URL> places = new ArrayList<>();
            number(own, places, inFramework);
            ownClasses = numbers.size();
            number(added, places, inFramework);
            urls = places.toArray(new URL[0]);
        }

        private void number(List<Path> jars, List<URL> places, Predicate<String> inFramework) throws IOException {
            Set<String> names = new TreeSet<>();
            for (Path path : jars) {
                places.add(path.toUri().toURL());
                try (JarFile jar = new JarFile(path.toFile(), false)) {
                    for (JarEntry entry : Collections.list(jar.entries())) {
                        String file = entry.getName();
                        if (file.endsWith(".class") && !inFramework.test(file)) {
                            names.add(file.substring(0, file.length() - ".class".length()).replace('/', '.'));
                        }
                    }
                }
            }
            for (String name : names) {
                if (!isHosts(name)) {
                    numbers.putIfAbsent(name, numbers.size());
                }
            }
        }

        private static boolean isHosts(String name) {
            for (String prefix : NOT_THE_APPS) {
                if (name.startsWith(prefix)) {
                    return true;
                }
            }
            return false;
        }

        /** The app's own classes, each with its number and its bytes as they run, without probes. */
        void eachOwn(ClassLoader framework, OwnClass use) throws IOException {
            try (URLClassLoader files = new URLClassLoader(urls, null)) {
                for (Map.Entry<String, Integer> entry : numbers.entrySet()) {
                    if (entry.getValue() < ownClasses) {
                        String name = entry.getKey();
                        ClassRepair repair = new ClassRepair(sources.get(name), owner -> isInterface(owner, files, framework));
                        use.take(entry.getValue(), name, repair.mended(read(name, files), name, true));
                    }
                }
            } catch (ClassNotFoundException e) {
                throw new IOException(e);
            }
        }

        private byte[] repaired(String name, ClassLoader files, ClassLoader framework) throws ClassNotFoundException {
            byte[] bytes = repaired.get(name);
            if (bytes == null) {
                int number = numbers.get(name);
                ClassRepair repair = new ClassRepair(sources.get(name), owner -> isInterface(owner, files, framework));
                bytes = repair.apply(read(name, files), name, number < ownClasses ? number : -1);
                repaired.put(name, bytes);
            }
            return bytes;
        }

        private static byte[] read(String name, ClassLoader files) throws ClassNotFoundException {
            try (InputStream in = files.getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        private boolean isInterface(String owner, ClassLoader files, ClassLoader framework) {
            if (owner.charAt(0) == '[') {
                return false;
            }
            String name = owner.replace('/', '.');
            try {
                return numbers.containsKey(name)
                        ? ClassRepair.isInterface(read(name, files))
                        : Class.forName(name, false, framework).isInterface();
            } catch (ClassNotFoundException | LinkageError e) {
                // The app refers to what is not there; it will hear of it if it ever gets to that call.
                return false;
            }
        }
    }
}
