package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.spi.Stores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes with four threads each on one file: no error, one holder at a time, and tokens that rise. */
@Tag("processes")
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqliteProcessesTest {

    private static final Duration TIME = Duration.ofSeconds(5);

    @TempDir
    Path folder;

    @Test
    void twoProcessesHammerOnOneFile() throws Exception {
        String url = "sqlite:" + folder.resolve("leases.db");
        Files.createDirectory(folder.resolve("inside"));
        Stores.open(url).close();
        List<Process> processes = List.of(hammer(url, 1), hammer(url, 2));
        try {
            for (int i = 0; i < 2; i++) {
                String said =
                        processes.get(i).inputReader(StandardCharsets.UTF_8).readLine();
                assertThat(said).as(errors(i + 1)).matches("\\d+ turns, log of \\d+");
                String[] words = said.split(" ", -1);
                assertThat(Integer.parseInt(words[0])).as("turns").isGreaterThan(20);
                // Checkpoints keep up though there are readers all the time.
                assertThat(Integer.parseInt(words[4])).as("log").isLessThan(16 << 20);
            }
            try (TestDatabase database = new TestDatabase(folder.resolve("leases.db"))) {
                assertThat(database.text("PRAGMA integrity_check")).isEqualTo("ok");
                assertThat(database.number("SELECT count(*) FROM interlock_lease WHERE lease_id IS NOT NULL"))
                        .isZero();
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private Process hammer(String url, int number) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Hammer.class.getName(),
                        url,
                        folder.resolve("inside").toString(),
                        TIME.toString())
                .redirectError(folder.resolve("errors-" + number).toFile())
                .start();
    }

    private String errors(int number) throws IOException {
        return Files.readString(folder.resolve("errors-" + number));
    }
}
