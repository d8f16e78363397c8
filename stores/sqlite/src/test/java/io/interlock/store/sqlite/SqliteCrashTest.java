package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that is writing: what it was told must be true for later processes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqliteCrashTest {

    private static final int TOLD = 40;

    @TempDir
    Path folder;

    @Test
    void whatWasAnsweredOutlivesAKilledProcess() throws Exception {
        String url = "sqlite:" + folder.resolve("leases.db");
        List<String> told = killAfterAWhile(url);

        try (LeaseStore store = Stores.open(url);
                TestDatabase database = new TestDatabase(folder.resolve("leases.db"))) {
            Caller caller = new Caller(store);
            for (String line : told) {
                String[] words = line.split(" ", -1);
                LockKey key = LockKey.of(words[1]);
                LeaseRecord lease = caller.find(key).orElseThrow(() -> new AssertionError(line + " is lost"));
                assertThat(lease.token()).isEqualTo(new FencingToken(Long.parseLong(words[2])));
                assertThat(caller.refusal(key)).isInstanceOf(Refusal.Held.class);
            }
            caller.take(LockKey.of("not doomed"));
            assertThat(database.text("PRAGMA integrity_check")).isEqualTo("ok");
        }
        assertThat(told).hasSize(TOLD);
    }

    private List<String> killAfterAWhile(String url) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DoomedHolder.class.getName(),
                        url)
                .redirectError(new File(folder.toFile(), "stderr.txt"))
                .start();
        List<String> told = new ArrayList<>();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            out.lines().filter(line -> line.startsWith("granted ")).limit(TOLD).forEach(told::add);
            process.destroyForcibly();
            assertThat(process.waitFor()).isEqualTo(137);
        } finally {
            process.destroyForcibly();
        }
        return told;
    }
}
