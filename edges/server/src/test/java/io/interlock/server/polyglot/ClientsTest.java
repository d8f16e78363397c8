package io.interlock.server.polyglot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.server.launch.RealServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clients' own tests, each against a real server; skipped aloud where their language is not installed. */
class ClientsTest {

    @TempDir
    Path folder;

    @Test
    void pythonClient() throws Exception {
        requireInstalled("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))");
        String said = run("python", "tests/interlock.yaml", "python3", "-m", "unittest", "-v");
        assertThat(said).contains("storm: ").contains("0 overlaps");
    }

    @Test
    void typeScriptClient() throws Exception {
        requireInstalled("node", "-e", "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)");
        String said = run("typescript", "test-support/interlock.yaml", "node", "--test", "test/");
        assertThat(said).contains("storm: ").contains("0 overlaps");
    }

    private static void requireInstalled(String... probe) throws InterruptedException {
        boolean there;
        try {
            there = new ProcessBuilder(probe).start().waitFor() == 0;
        } catch (IOException missing) {
            there = false;
        }
        assumeTrue(there, probe[0] + " is not installed or too old, so its client is not tried");
    }

    /** Runs the tests of a client, and returns what they print. */
    private String run(String language, String config, String... command) throws Exception {
        Path client = clients().resolve(language);
        Path output = folder.resolve("output.txt");
        String store = "sqlite:" + folder.resolve("interlock.db");
        String file = client.resolve(config).toString();
        try (RealServer server = RealServer.start(folder, Map.of(), "server", "--config", file, "--store", store)) {
            ProcessBuilder tests = new ProcessBuilder(List.of(command))
                    .directory(client.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            tests.environment().put("INTERLOCK_SERVER", server.url());
            tests.environment().put("INTERLOCK_API_KEY", server.key().orElseThrow());
            tests.environment().put("PYTHONPATH", "src");
            tests.environment().put("PYTHONDONTWRITEBYTECODE", "1");
            Process process = tests.start();
            boolean ended = process.waitFor(3, TimeUnit.MINUTES);
            process.destroyForcibly();
            String said = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(ended && process.exitValue() == 0).as(said).isTrue();
            return said;
        }
    }

    private static Path clients() {
        Path above = Path.of("").toAbsolutePath();
        while (above != null && !Files.exists(above.resolve("clients/python"))) {
            above = above.getParent();
        }
        if (above == null) {
            throw new IllegalStateException("no folder with clients/python above");
        }
        return above.resolve("clients");
    }
}
