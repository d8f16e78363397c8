package io.interlock.servers;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A JVM that tests start often, with the class path of the test in jars and an archive of its classes, so that it starts in about half the
 * time. Jars and archive are created once for all test processes of a module. Thread-safe.
 */
public final class ChildJvm {

    /** The folder of the archive, for further files that a trial creates. */
    public static final Path HOME = Path.of("target", "child-jvm").toAbsolutePath();

    private static final Path ARCHIVE = HOME.resolve("classes.jsa");
    private static final List<String> OPTIONS = List.of(
            "-XX:TieredStopAtLevel=1",
            // A third of the CPU of a start is compilation, mostly of what does not run often.
            "-XX:CompileThresholdScaling=3",
            "-XX:+UseSerialGC",
            "-Xss512k",
            "-XX:-UsePerfData",
            "-XX:+DisplayVMOutputToStderr");

    private ChildJvm() {}

    /**
     * The words that start such a JVM; more options and the main class follow. Each of {@code trials} has the options, the main class and
     * the arguments of a process that ends by itself: the archive has the classes these load.
     */
    public static List<String> java(List<List<String>> trials) {
        try {
            Files.createDirectories(HOME);
            try (FileChannel file = FileChannel.open(
                            HOME.resolveSibling("child-jvm.lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
                    FileLock alone = file.lock()) {
                return make(trials);
            }
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }

    /** Like {@link #java(List)}, with the classes of a server that opens its store and cannot listen, which ends by itself. */
    public static List<String> forServers() {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return java(List.of(server("sqlite:" + HOME.resolve("trial.db"), taken)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The trial of a server that cannot listen, because {@code taken} does. */
    public static List<String> server(String store, ServerSocket taken) {
        String port = Integer.toString(taken.getLocalPort());
        return List.of("io.interlock.server.Main", "server", "--store", store, "--port", port);
    }

    private static List<String> make(List<List<String>> trials) throws IOException, InterruptedException {
        List<Path> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(Files::exists)
                .toList();
        String wanted = fingerprint(entries);
        Path ready = HOME.resolve("ready");
        boolean fresh = Files.exists(ready) && Files.readString(ready).equals(wanted);
        if (!fresh) {
            clear();
        }
        List<String> jars = new ArrayList<>();
        for (Path entry : entries) {
            Path jar = Files.isDirectory(entry) ? HOME.resolve("part" + jars.size() + ".jar") : entry;
            if (Files.isDirectory(entry) && !fresh) {
                pack(entry, jar);
            }
            jars.add(jar.toString());
        }
        List<String> path = List.of("-cp", String.join(File.pathSeparator, jars));
        if (!fresh) {
            archive(path, trials);
            Files.writeString(ready, wanted);
        }
        List<String> java = plain();
        java.addAll(List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-Xlog:disable", "-Xlog:all=off"));
        java.addAll(path);
        return java;
    }

    private static void archive(List<String> path, List<List<String>> trials) throws IOException, InterruptedException {
        if (trials.size() == 1) {
            // Half the work of the other way, which takes the classes of several processes.
            run(path, List.of("-XX:ArchiveClassesAtExit=" + ARCHIVE), trials.get(0));
            return;
        }
        Path list = HOME.resolve("classes");
        Set<String> classes = new LinkedHashSet<>();
        for (List<String> trial : trials) {
            run(path, List.of("-XX:DumpLoadedClassList=" + list), trial);
            classes.addAll(Files.readAllLines(list));
        }
        Files.write(list, classes);
        run(
                path,
                List.of("-Xshare:dump", "-XX:SharedClassListFile=" + list),
                List.of("-XX:SharedArchiveFile=" + ARCHIVE));
    }

    private static List<String> plain() {
        List<String> java = new ArrayList<>();
        java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        java.addAll(OPTIONS);
        return java;
    }

    private static void run(List<String> path, List<String> options, List<String> words)
            throws IOException, InterruptedException {
        List<String> command = plain();
        command.addAll(path);
        command.addAll(options);
        command.addAll(words);
        // How a trial ends is not of interest: tests will tell.
        new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static void pack(Path folder, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out);
                Stream<Path> files = Files.walk(folder)) {
            zip.setLevel(Deflater.BEST_SPEED);
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                zip.putNextEntry(new ZipEntry(folder.relativize(file).toString()));
                Files.copy(file, zip);
            }
        }
    }

    private static String fingerprint(List<Path> entries) throws IOException {
        StringBuilder all = new StringBuilder(System.getProperty("java.home"));
        for (Path entry : entries) {
            try (Stream<Path> files = Files.walk(entry)) {
                long newest = files.mapToLong(file -> file.toFile().lastModified())
                        .max()
                        .orElse(0);
                all.append('\n').append(entry).append(' ').append(newest);
            }
        }
        return all.toString();
    }

    private static void clear() throws IOException {
        List<Path> old;
        try (Stream<Path> files = Files.walk(HOME)) {
            old = new ArrayList<>(files.skip(1).toList());
        }
        Collections.reverse(old);
        for (Path file : old) {
            Files.delete(file);
        }
    }
}
