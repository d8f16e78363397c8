package io.interlock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.access.Role;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The commands of the README's quick start over HTTP, as they stand there. */
@Timeout(60)
class ReadmeCommandsTest {

    private static final Pattern BLOCK = Pattern.compile("<!-- commands: http -->\n```sh\n(.*?)```", Pattern.DOTALL);

    @Test
    void theQuickStartOverHttpWorks() throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "curl"))),
                "no curl");
        Matcher block = BLOCK.matcher(Files.readString(Path.of("../../README.md")));
        assertThat(block.find()).isTrue();
        try (EngineRig rig = EngineRig.on("memory:")) {
            ProcessBuilder shell = new ProcessBuilder("sh", "-e", "-c", block.group(1)).redirectErrorStream(true);
            shell.environment().put("INTERLOCK_SERVER", "http://127.0.0.1:" + rig.server.port());
            shell.environment().put("INTERLOCK_API_KEY", rig.key(Role.WORKER));
            Process running = shell.start();
            String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(running.waitFor()).as(said).isZero();
            assertThat(said).contains("\"leaseId\"", "\"token\"", "\"state\":\"HELD\"");
        }
    }
}
