package siamang.agent.jvm.apk;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Turns an APK into a folder that the host can run: {@code app.apk} with resources and assets, {@code app.jar} with
 * the converted classes, {@code sources.txt}, and {@code facts.txt} for whoever started this.
 */
public final class Prepare {
    /** An entry of the copy with the certificate of who signed the original. */
    public static final String CERTIFICATE = "META-INF/siamang-signer";

    private static final int REFUSED = 2;
    private static final long MAX_ENTRY_BYTES = 512L << 20;

    /** Frameworks whose apps are native code with a thin Java shell: nothing of the app itself would run. */
    private static final Map<String, String> NATIVE_FRAMEWORKS = new TreeMap<>(Map.of(
            "libflutter.so", "Flutter", "libreactnative", "React Native", "libunity.so", "Unity", "libmonodroid.so", "Xamarin",
            "libgodot_android.so", "Godot", "libQt5Core", "Qt", "libQt6Core", "Qt", "libNativeScript.so", "NativeScript"));
    /** Entries of apps that are a web page in a shell. */
    private static final List<String> WEB_SHELLS = List.of("assets/www/cordova.js", "assets/public/capacitor.js", "assets/capacitor.config.json");

    private final Path apk;
    private final Path out;
    private final List<String> notes = new ArrayList<>();

    private Prepare(Path apk, Path out) {
        this.apk = apk;
        this.out = out;
    }

    /** {@code Prepare APK FOLDER CONVERTER_JARS}: exits with 0, or prints one line with the reason and exits with 2. */
    public static void main(String[] args) {
        try {
            new Prepare(Path.of(args[0]), Path.of(args[1])).run(Path.of(args[2]));
        } catch (BadApkException e) {
            refuse(e.getMessage());
        } catch (ZipException e) {
            refuse("not an APK, or a corrupt one: " + e.getMessage());
        } catch (OutOfMemoryError e) {
            refuse("too large to be converted in the memory given");
        } catch (Exception e) {
            e.printStackTrace();
            refuse("could not be prepared: " + e);
        }
        System.exit(0);
    }

    private static void refuse(String reason) {
        System.out.println(reason.replace('\n', ' '));
        System.exit(REFUSED);
    }

    private void run(Path converter) throws Exception {
        Manifest manifest;
        Map<String, String> sources = new TreeMap<>();
        try (ZipFile zip = new ZipFile(apk.toFile())) {
            Archive.check(zip);
            manifest = readManifest(zip);
            checkManifest(manifest);
            checkNativeCode(zip);
            checkResources(zip, manifest);
            Set<String> libraries = nativeLibraries(zip);
            if (!libraries.isEmpty()) {
                notes.add("native code cannot run here and fails when it is loaded: " + String.join(", ", libraries));
            }
            for (String dex : dexFiles(zip)) {
                DexSources.read(bytes(zip, zip.getEntry(dex)), sources);
            }
            copyWithoutCode(zip);
        }
        convert(converter);
        StringBuilder lines = new StringBuilder();
        sources.forEach((type, file) -> lines.append(type).append('\t').append(file).append('\n'));
        Files.writeString(out.resolve("sources.txt"), lines);
        Files.writeString(out.resolve("facts.txt"), facts(manifest));
    }

    /** The manifest of an APK or of a folder that was prepared from one. */
    public static Manifest readManifest(ZipFile zip) throws IOException, BadApkException {
        ZipEntry entry = zip.getEntry("AndroidManifest.xml");
        if (entry == null) {
            throw new BadApkException("not an APK: it has no AndroidManifest.xml");
        }
        return Manifest.read(bytes(zip, entry));
    }

    /** Who signed what a folder was prepared from; null if nobody did. */
    public static byte[] readSigner(ZipFile zip) throws IOException, BadApkException {
        ZipEntry entry = zip.getEntry(CERTIFICATE);
        return entry == null ? null : bytes(zip, entry);
    }

    static void checkManifest(Manifest manifest) throws BadApkException {
        if (manifest.split != null) {
            throw new BadApkException("a part of a split APK (" + manifest.split + "); build or ask for one universal APK");
        }
        if (manifest.launcher == null) {
            throw new BadApkException("no launcher activity: there is nothing to start");
        }
        if (manifest.launcher.equals("android.app.NativeActivity")) {
            throw BadApkException.forPhones("an app of native code only (it starts with a NativeActivity): it needs a phone");
        }
    }

    static Set<String> nativeLibraries(ZipFile zip) {
        Set<String> libraries = new TreeSet<>();
        for (ZipEntry entry : Collections.list(zip.entries())) {
            String name = entry.getName();
            if (name.startsWith("lib/") && name.endsWith(".so")) {
                libraries.add(name.substring(name.lastIndexOf('/') + 1));
            }
        }
        return libraries;
    }

    static void checkNativeCode(ZipFile zip) throws BadApkException {
        for (String library : nativeLibraries(zip)) {
            for (Map.Entry<String, String> framework : NATIVE_FRAMEWORKS.entrySet()) {
                if (library.startsWith(framework.getKey())) {
                    throw BadApkException.forPhones("a " + framework.getValue() + " app: its code is native (" + library + ") and needs a phone");
                }
            }
        }
        for (String entry : WEB_SHELLS) {
            if (zip.getEntry(entry) != null) {
                throw BadApkException.forPhones("an app inside a WebView, which the JVM does not have (" + entry + "); it needs a phone");
            }
        }
    }

    /** What the framework reads with the first look at the app; without it the app would be blamed for what is missing. */
    static void checkResources(ZipFile zip, Manifest manifest) throws IOException, BadApkException {
        ZipEntry table = zip.getEntry("resources.arsc");
        if (table != null) {
            ResourceTable.check(bytes(zip, table));
        } else if (manifest.namesResources) {
            throw new BadApkException("AndroidManifest.xml names resources, and there is no resources.arsc: the APK is not whole, and no phone would install it");
        }
    }

    static List<String> dexFiles(ZipFile zip) throws BadApkException {
        List<String> files = new ArrayList<>();
        for (ZipEntry entry : Collections.list(zip.entries())) {
            if (entry.getName().matches("classes[0-9]*\\.dex")) {
                files.add(entry.getName());
            }
        }
        if (files.isEmpty()) {
            throw new BadApkException("no classes.dex: there is no code to run");
        }
        Collections.sort(files);
        return files;
    }

    static byte[] bytes(ZipFile zip, ZipEntry entry) throws IOException, BadApkException {
        try (InputStream in = zip.getInputStream(entry)) {
            // No more than it says that it has, and a byte beyond, which would show that it lies.
            long most = entry.getSize() < 0 ? MAX_ENTRY_BYTES : Math.min(entry.getSize() + 1, MAX_ENTRY_BYTES);
            byte[] bytes = in.readNBytes((int) most);
            if (bytes.length == MAX_ENTRY_BYTES) {
                throw new BadApkException(entry.getName() + " is larger than " + (MAX_ENTRY_BYTES >> 20) + " MB");
            }
            if (entry.getSize() >= 0 && bytes.length != entry.getSize()) {
                throw new BadApkException(entry.getName() + " is damaged: it has another size than the archive says");
            }
            // Java looks at the sum only where it reads an archive from front to back.
            CRC32 sum = new CRC32();
            sum.update(bytes);
            if (entry.getCrc() >= 0 && sum.getValue() != entry.getCrc()) {
                throw new BadApkException(entry.getName() + " is damaged: the archive is corrupt, fetch or build it again");
            }
            return bytes;
        }
    }

    private void copyWithoutCode(ZipFile zip) throws IOException, BadApkException {
        Path part = out.resolve("app.apk.part");
        Set<String> seen = new HashSet<>();
        try (ZipOutputStream copy = new ZipOutputStream(Files.newOutputStream(part))) {
            copy.setLevel(1);
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = entry.getName();
                if (name.endsWith(".dex") || name.startsWith("lib/") || entry.isDirectory() || !seen.add(name)) {
                    continue;
                }
                byte[] bytes = bytes(zip, entry);
                boolean table = name.equals("resources.arsc");
                if (table) {
                    bytes = ResourceTable.widened(bytes);
                }
                ZipEntry next = new ZipEntry(name);
                // The framework maps the table and uncompressed assets straight from the file.
                if (table || entry.getMethod() == ZipEntry.STORED) {
                    next.setMethod(ZipEntry.STORED);
                    next.setSize(bytes.length);
                    CRC32 crc = new CRC32();
                    crc.update(bytes);
                    next.setCrc(crc.getValue());
                }
                copy.putNextEntry(next);
                copy.write(bytes);
                copy.closeEntry();
            }
            byte[] signer = Certificates.first(zip, apk);
            if (signer != null && seen.add(CERTIFICATE)) {
                copy.putNextEntry(new ZipEntry(CERTIFICATE));
                copy.write(signer);
                copy.closeEntry();
            }
        }
        Files.move(part, out.resolve("app.apk"), StandardCopyOption.REPLACE_EXISTING);
    }

    private void convert(Path converter) throws Exception {
        File[] jars = converter.toFile().listFiles((folder, name) -> name.endsWith(".jar"));
        if (jars == null || jars.length == 0) {
            throw new IOException("no converter in " + converter);
        }
        URL[] urls = new URL[jars.length];
        Arrays.sort(jars);
        for (int i = 0; i < jars.length; i++) {
            urls[i] = jars[i].toURI().toURL();
        }
        Path part = out.resolve("app.jar.part");
        PrintStream real = System.out;
        System.setOut(System.err);
        try (Converter loader = new Converter(urls)) {
            Class<?> command = loader.loadClass("com.googlecode.dex2jar.tools.Dex2jarCmd");
            Thread.currentThread().setContextClassLoader(loader);
            Object[] options = {new String[] {"-f", "-d", "-e", out.resolve("errors.zip").toString(), "-o", part.toString(), apk.toString()}};
            command.getMethod("doMain", String[].class).invoke(command.getConstructor().newInstance(), options);
        } finally {
            System.setOut(real);
        }
        if (!Files.exists(part)) {
            throw new BadApkException("its code could not be converted: encrypted, corrupt, or newer than the converter");
        }
        if (Files.exists(out.resolve("errors.zip"))) {
            notes.add("some methods could not be converted and throw when they are called");
        }
        Files.move(part, out.resolve("app.jar"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** One {@code key TAB value} a line. Names from a manifest hold neither tab nor line end once this is done. */
    private String facts(Manifest manifest) {
        StringBuilder text = new StringBuilder();
        fact(text, "package", manifest.pkg);
        fact(text, "launcher", manifest.launcher);
        fact(text, "target_sdk", String.valueOf(manifest.targetSdk()));
        manifest.activities.forEach(name -> fact(text, "activity", name));
        manifest.deepLinks.forEach(link -> fact(text, "deep_link", link));
        notes.forEach(note -> fact(text, "note", note));
        return text.toString();
    }

    static void fact(StringBuilder text, String key, String value) {
        String clean = value.replaceAll("[\\t\\r\\n]", " ");
        text.append(key).append('\t').append(new String(clean.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)).append('\n');
    }
}
