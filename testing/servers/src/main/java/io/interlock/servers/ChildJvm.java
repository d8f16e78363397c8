package io.interlock.servers;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A JVM that tests start often, with the class path of the test in jars, an archive of its classes and the unpacked library of the SQLite
 * driver, so that it starts in about half the time. All of it is created once for all test processes of a module. Thread-safe.
 */
public final class ChildJvm {

    private static final Path HOME = Path.of("target", "child-jvm").toAbsolutePath();

    private static final Path ARCHIVE = HOME.resolve("classes.jsa");
    private static final List<String> OPTIONS = List.of(
            "-XX:TieredStopAtLevel=1",
            // A third of the CPU of a start is compilation, mostly of what does not run often.
            "-XX:CompileThresholdScaling=3",
            "-XX:+UseSerialGC",
            "-Xss512k",
            "-XX:-UsePerfData",
            "-XX:+DisplayVMOutputToStderr");

    private static final Pattern API = Pattern.compile("API +(http://\\S+:\\d+)/api/v1/");
    private static final Pattern KEY = Pattern.compile("API key +(ilk_\\S+)");

    private ChildJvm() {}

    /**
     * The words that start such a JVM; more options and the main class follow. Each of {@code trials} has the main class and the arguments
     * of a process that ends by itself, or of a server: the archive has the classes these load.
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

    /** Like {@link #java(List)}, with the classes of a {@link #server()}. */
    public static List<String> forServers() {
        return java(List.of(server()));
    }

    /** The trial of a server, which is asked some things before it is told to stop. */
    public static List<String> server() {
        String store = trialStore();
        return List.of("io.interlock.server.Main", "server", "--store", store, "--port", "0");
    }

    /** The URL of a store for trials. */
    public static String trialStore() {
        return "sqlite:" + HOME.resolve("trial.db");
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
        List<String> path = new ArrayList<>(library(!fresh));
        path.addAll(List.of("-cp", String.join(File.pathSeparator, jars)));
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
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectInput(new File("/dev/null")).redirectError(Redirect.DISCARD);
        builder.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_"));
        Process process = builder.start();
        StringBuilder said = new StringBuilder();
        // How a trial ends is not of interest: tests will tell.
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.append(line).append('\n');
                if (line.startsWith("Ready")) {
                    visit(said);
                    // That of the process would close its output, too.
                    process.toHandle().destroy();
                }
            }
        }
        process.waitFor();
    }

    /** Asks a server what tests ask often. Not what it answers is of interest, but the classes that it loads to do so. */
    private static void visit(CharSequence banner) throws IOException, InterruptedException {
        Matcher api = API.matcher(banner);
        Matcher key = KEY.matcher(banner);
        if (!api.find() || !key.find()) {
            return;
        }
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (String asked : List.of(
                "health/ready",
                "api/v1/runs",
                "api/v1/locks",
                "api/v1/locks/acquire {'key': 'a', 'leaseId': '0192f0e2-0000-7000-8000-000000000001', 'ttl': '30s', 'holder': 'a'}",
                "api/v1/runs {'key': 'b', 'execution': 'caller'}",
                "api/v1/runs {'key': 'b', 'job': 'none'}",
                "api/v1/claims {'claimId': '0192f0e2-0000-7000-8000-000000000002', 'worker': 'a', 'jobs': ['a'], 'max': 1}")) {
            String[] parts = asked.split(" ", 2);
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(api.group(1) + "/" + parts[0]))
                    .header("x-api-key", key.group(1))
                    .header("Content-Type", "application/json");
            if (parts.length > 1) {
                request.POST(HttpRequest.BodyPublishers.ofString(parts[1].replace('\'', '"')));
            }
            http.send(request.build(), HttpResponse.BodyHandlers.discarding());
        }
    }

    /** The options with which the SQLite driver, if there is one, need not unpack its library and compare it at each start. */
    private static List<String> library(boolean unpack) throws IOException {
        String name = System.mapLibraryName("sqlitejdbc");
        try {
            Class<?> driver = Class.forName("org.sqlite.util.OSInfo");
            Object folder =
                    driver.getMethod("getNativeLibFolderPathForCurrentOS").invoke(null);
            try (InputStream library = driver.getResourceAsStream("/org/sqlite/native/" + folder + "/" + name)) {
                if (unpack && library != null) {
                    Files.copy(library, HOME.resolve(name));
                }
            }
        } catch (ClassNotFoundException without) {
            return List.of();
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
        return List.of("-Dorg.sqlite.lib.path=" + HOME, "-Dorg.sqlite.lib.name=" + name);
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
