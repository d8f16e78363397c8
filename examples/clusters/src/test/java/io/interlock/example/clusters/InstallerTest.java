package io.interlock.example.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The stand-in for an installer, without Interlock: it detects two users of one install directory, so tests without
 * such a finding are meaningful.
 */
@Timeout(30)
class InstallerTest {

    private static final int TWO_AT_ONCE = 70;

    @TempDir
    Path folder;

    @Test
    void twoAtOnceInOneInstallDirectoryAreFoundOut() throws Exception {
        Process first = create("20");
        await().until(() -> Files.exists(folder.resolve("install/a/in-use/pid")));
        assertThat(create("0").waitFor()).isEqualTo(TWO_AT_ONCE);
        assertThat(folder.resolve("install/TWO-AT-ONCE")).content().contains("met process " + first.pid());
        first.destroyForcibly().waitFor();
        assertThat(create("0").waitFor())
                .as("a dead installer does not block others")
                .isZero();
        assertThat(folder.resolve("cloud/a/ready")).exists();
    }

    private Process create(String step) throws IOException {
        Files.createDirectories(folder.resolve("install/a"));
        ProcessBuilder builder = new ProcessBuilder(
                        "./installer",
                        "create",
                        folder.resolve("install/a").toString(),
                        folder.resolve("cloud/a").toString(),
                        "2")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("CLUSTERS", folder.toString());
        builder.environment().put("CLUSTERS_STEP", step);
        builder.environment().put("INTERLOCK_TOKEN", "1");
        return builder.start();
    }
}
