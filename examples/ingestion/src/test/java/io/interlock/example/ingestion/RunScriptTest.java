package io.interlock.example.ingestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.Main;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/ingestion/run} as documented, in a copy of the tree; only the build of the server is skipped. */
@Timeout(60)
class RunScriptTest {

    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    Path tree;

    @Test
    void itStartsEverythingAndIngestsAnEvent() throws Exception {
        plant();
        Path out = tree.resolve("out");
        Process running = start(out, "--port", "0");
        try {
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> Files.readString(out).contains("In a second terminal: examples/ingestion/run ingest"));
            Path ingested = tree.resolve("ingested");
            assertThat(start(ingested, "ingest", "486677", "17").waitFor())
                    .as(Files.readString(ingested))
                    .isZero();
            assertThat(Files.readString(ingested))
                    .contains("fetching /events/486677")
                    .endsWith("complete\n");
            assertThat(tree.resolve("examples/ingestion/target/run/races.db")).isNotEmptyFile();
        } finally {
            Stream.concat(running.descendants(), Stream.of(running.toHandle())).forEach(ProcessHandle::destroyForcibly);
        }
    }

    private Process start(Path out, String... words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of("examples/ingestion/run"), Stream.of(words))
                        .toList())
                .directory(tree.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_") || name.startsWith("INGESTION_"));
        builder.environment()
                .putAll(Map.of(
                        "JAVA_HOME",
                        System.getProperty("java.home"),
                        "INGESTION_PORT",
                        port,
                        "INGESTION_PAGE_MILLIS",
                        "0",
                        "JAVA_TOOL_OPTIONS",
                        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"));
        return builder.start();
    }

    private final String port = freePort();

    private static String freePort() {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return Integer.toString(any.getLocalPort());
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The example, and beside it what the launcher would have built: here one jar that names this test's class path. */
    private void plant() throws IOException {
        Path example = Files.createDirectories(tree.resolve("examples/ingestion"));
        for (String file : new String[] {"run", "interlock.yaml"}) {
            Files.copy(Path.of(file), example.resolve(file));
        }
        Files.createDirectories(example.resolve("src"));
        Files.createSymbolicLink(
                example.resolve("src/main"), Path.of("src/main").toAbsolutePath());
        Path launcher = Files.writeString(
                tree.resolve("interlock"),
                "#!/bin/sh\n[ \"$2\" = --help ] && exit\nexec '%s' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '%s':\"$INTERLOCK_CLASSPATH\" %s \"$@\"\n"
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin", "java"),
                                CLASS_PATH,
                                Main.class.getName()));
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path built = Files.createDirectories(tree.resolve("edges/server/target/launch/dist-1"));
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(CLASS_PATH.split(File.pathSeparator, -1))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        try (OutputStream file = Files.newOutputStream(built.resolve("all.jar"))) {
            new JarOutputStream(file, manifest).close();
        }
    }
}
