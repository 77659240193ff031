package siamang.agent.jvm.robo;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IBundleCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.ExecutionDataWriter;
import org.jacoco.core.data.SessionInfo;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.report.DirectorySourceFileLocator;
import org.jacoco.report.FileMultiReportOutput;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.html.HTMLFormatter;
import org.jacoco.report.xml.XMLFormatter;

/**
 * Writes what a run has covered as JaCoCo's tools know it: {@code CoverageReport PREPARED_FOLDER SDK_JAR BRANCHES TITLE
 * OUT [SOURCES]}. BRANCHES holds one number a line, as the probes were told; OUT gets {@code jacoco.exec}, {@code classes}
 * that it belongs to, {@code jacoco.xml} and {@code html}. Prints one {@code counter TAB covered TAB all} a line.
 */
public final class CoverageReport {
    private static final int SHIFT = 16;
    private static final int PROBE = (1 << SHIFT) - 1;
    private static final int TAB_WIDTH = 4;

    private CoverageReport() {
    }

    public static void main(String[] args) throws IOException {
        Path prepared = Path.of(args[0]);
        File sdk = new File(args[1]);
        Map<Integer, Set<Integer>> covered = read(Path.of(args[2]));
        Path out = Path.of(args[4]);
        File sources = args.length > 5 ? new File(args[5]) : null;
        Set<String> framework = new HashSet<>();
        try (JarFile jar = new JarFile(sdk)) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                framework.add(entry.getName());
            }
        }
        AppLoader.Code code = new AppLoader.Code(
                List.of(prepared.resolve("app.jar"), prepared.resolve("app.apk")), List.of(), Sandbox.sources(prepared), framework::contains);
        ExecutionDataStore store = new ExecutionDataStore();
        CoverageBuilder builder = new CoverageBuilder();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {sdk.toURI().toURL()}, null)) {
            code.eachOwn(loader, (number, name, bytes) -> {
                Set<Integer> probes = covered.get(number);
                if (probes != null) {
                    // As many as were ever told: JaCoCo compares the number with the class's own only when it instruments.
                    boolean[] hit = new boolean[ProbeCount.of(bytes)];
                    probes.stream().filter(probe -> probe < hit.length).forEach(probe -> hit[probe] = true);
                    store.put(new ExecutionData(CRC64.classId(bytes), name.replace('.', '/'), hit));
                }
                Path file = out.resolve("classes").resolve(name.replace('.', '/') + ".class");
                Files.createDirectories(file.getParent());
                Files.write(file, bytes);
            });
            code.eachOwn(loader, (number, name, bytes) -> {
                try {
                    new Analyzer(store, builder).analyzeClass(bytes, name);
                } catch (IOException e) {
                    System.err.println(name + ": " + e.getMessage());
                }
            });
        }
        writeExec(out.resolve("jacoco.exec"), args[3], store);
        IBundleCoverage bundle = builder.getBundle(args[3]);
        report(new HTMLFormatter().createVisitor(new FileMultiReportOutput(out.resolve("html").toFile())), bundle, store, sources);
        try (OutputStream xml = new FileOutputStream(out.resolve("jacoco.xml").toFile())) {
            report(new XMLFormatter().createVisitor(xml), bundle, store, sources);
        }
        count("branches", bundle.getBranchCounter());
        count("lines", bundle.getLineCounter());
        count("methods", bundle.getMethodCounter());
        count("classes", bundle.getClassCounter());
    }

    private static Map<Integer, Set<Integer>> read(Path file) throws IOException {
        Map<Integer, Set<Integer>> covered = new HashMap<>();
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int branch = Integer.parseUnsignedInt(line);
                covered.computeIfAbsent(branch >>> SHIFT, key -> new HashSet<>()).add(branch & PROBE);
            }
        }
        return covered;
    }

    private static void writeExec(Path file, String title, ExecutionDataStore store) throws IOException {
        try (OutputStream out = new FileOutputStream(file.toFile())) {
            ExecutionDataWriter writer = new ExecutionDataWriter(out);
            writer.visitSessionInfo(new SessionInfo(title, 0, 0));
            store.accept(writer);
        }
    }

    private static void report(IReportVisitor visitor, IBundleCoverage bundle, ExecutionDataStore store, File sources) throws IOException {
        visitor.visitInfo(List.of(), store.getContents());
        visitor.visitBundle(bundle, new DirectorySourceFileLocator(sources, "UTF-8", TAB_WIDTH));
        visitor.visitEnd();
    }

    private static void count(String name, ICounter counter) {
        System.out.println(name + "\t" + counter.getCoveredCount() + "\t" + counter.getTotalCount());
    }
}
