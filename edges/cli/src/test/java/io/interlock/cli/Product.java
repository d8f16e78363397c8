package io.interlock.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The product as people have it, in jars and with an archive of its classes, so that the processes of tests start in half the time.
 * Made once for all test processes of a build.
 */
final class Product {

    private static final Path HOME = Path.of("target", "product").toAbsolutePath();
    private static final Path ARCHIVE = HOME.resolve("classes.jsa");
    private static final List<String> OPTIONS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xss512k",
            "-XX:-UsePerfData",
            "-XX:+DisplayVMOutputToStderr");
    private static final List<String> JAVA = made();

    private Product() {}

    /** The words that start a JVM with the class path of this test; options and the main class follow. */
    static List<String> java() {
        return new ArrayList<>(JAVA);
    }

    private static List<String> made() {
        try {
            Files.createDirectories(HOME);
            try (FileChannel file = FileChannel.open(
                            HOME.resolveSibling("product.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock alone = file.lock()) {
                return make();
            }
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static List<String> make() throws IOException, InterruptedException {
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
        String path = String.join(File.pathSeparator, jars);
        if (!fresh) {
            archive(path);
            Files.writeString(ready, wanted);
        }
        List<String> java = plain();
        java.addAll(List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-Xlog:disable", "-Xlog:all=off"));
        try (Stream<Path> libraries = Files.list(HOME.resolve("native"))) {
            libraries
                    .findFirst()
                    .ifPresent(library -> java.addAll(List.of(
                            "-Dorg.sqlite.lib.path=" + HOME.resolve("native"),
                            "-Dorg.sqlite.lib.name=" + library.getFileName())));
        }
        java.addAll(List.of("-cp", path));
        return java;
    }

    private static List<String> plain() {
        List<String> java = new ArrayList<>();
        java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        java.addAll(OPTIONS);
        return java;
    }

    /** What a trial loads. Its command keeps the library of the SQLite driver. */
    private static void archive(String path) throws IOException, InterruptedException {
        Path trial = Files.createDirectories(HOME.resolve("trial"));
        Files.createDirectories(HOME.resolve("native"));
        Path classes = trial.resolve("classes");
        String keep = "for f in " + trial + "/sqlite-*sqlitejdbc.*[!k]; do cp $f " + HOME + "/native/${f##*-}; done";
        run(
                path,
                List.of("-XX:DumpLoadedClassList=" + classes, "-Dorg.sqlite.tmpdir=" + trial),
                List.of(
                        Main.class.getName(),
                        "run",
                        "-n",
                        "trial",
                        "--store",
                        "sqlite:" + trial.resolve("trial.db"),
                        "--",
                        "sh",
                        "-c",
                        keep));
        run(
                path,
                List.of("-Xshare:dump", "-XX:SharedClassListFile=" + classes, "-XX:SharedArchiveFile=" + ARCHIVE),
                List.of());
    }

    private static void run(String path, List<String> options, List<String> words)
            throws IOException, InterruptedException {
        List<String> command = plain();
        command.addAll(options);
        command.addAll(List.of("-cp", path));
        command.addAll(words);
        int code = new ProcessBuilder(command)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start()
                .waitFor();
        if (code != 0) {
            throw new IllegalStateException(command + " ended with " + code);
        }
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
            old = new ArrayList<>(files.toList());
        }
        for (int i = old.size() - 1; i > 0; i--) {
            Files.delete(old.get(i));
        }
    }
}
