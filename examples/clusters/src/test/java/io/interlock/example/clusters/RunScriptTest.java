package io.interlock.example.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/clusters/run} as documented, in a copy of the tree; only the build of the server is skipped. */
@Timeout(60)
class RunScriptTest {

    @TempDir
    Path tree;

    @Test
    void theCommandItPrintsCreatesACluster() throws Exception {
        Path example = Files.createDirectories(tree.resolve("examples/clusters"));
        for (String file : List.of("run", "interlock.yaml", "cluster", "installer", "alert")) {
            Files.copy(Path.of(file), example.resolve(file));
        }
        script(
                "interlock",
                "exec '%s' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '%s' %s \"$@\""
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin", "java"),
                                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                                Main.class.getName()));
        Path out = tree.resolve("out");
        ProcessBuilder builder = new ProcessBuilder("examples/clusters/run", "--port", "0")
                .directory(tree.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_") || name.startsWith("CLUSTERS"));
        builder.environment().put("CLUSTERS_STEP", "0.02");
        Process running = builder.start();
        try {
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> Files.readString(out).contains("watch ls"));
            assertThat(shell(printed(out, "KEY=") + "; " + printed(out, "curl ")))
                    .contains("\"status\":\"PENDING\"");
            await().atMost(Duration.ofSeconds(20))
                    .until(() ->
                            shell("ls examples/clusters/target/run/cloud/*").contains("ready"));
        } finally {
            Stream.concat(running.descendants(), Stream.of(running.toHandle())).forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static String printed(Path out, String beginning) throws IOException {
        return Files.readString(out)
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith(beginning))
                .findFirst()
                .orElseThrow();
    }

    private String shell(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-c", command)
                .directory(tree.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }

    private void script(String name, String body) throws IOException {
        Path file = Files.writeString(tree.resolve(name), "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
