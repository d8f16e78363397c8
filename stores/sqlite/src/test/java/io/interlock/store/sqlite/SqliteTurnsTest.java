package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.Stores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A busy process beside one that renews: they take turns, and none keeps the other waiting. */
@Tag("processes")
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqliteTurnsTest {

    private static final int THREADS = 4;
    private static final int RENEWALS = 200;

    @TempDir
    Path folder;

    @Test
    void aBusyProcessDoesNotStarveTheRenewalsOfAnother() throws Exception {
        String url = "sqlite:" + folder.resolve("leases.db");
        try (LeaseStore store = Stores.open(url);
                TestDatabase database = new TestDatabase(folder.resolve("leases.db"))) {
            // One row for each commit: every call here is a transaction of its own, on one key.
            database.execute("CREATE TABLE turns (number INTEGER PRIMARY KEY, name TEXT NOT NULL)");
            database.execute("CREATE TRIGGER each AFTER UPDATE ON interlock_lease BEGIN"
                    + " INSERT INTO turns (name) VALUES (new.name); END");
            Process busy = start(url);
            try {
                assertThat(busy.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("busy");
                renewFromManyThreads(store);
                List<String> order = database.columns("SELECT name FROM turns ORDER BY number", 1);
                List<Integer> between = commitsBetweenRenewals(order);
                // Each lease is granted once and renewed many times.
                assertThat(between).hasSize(THREADS * (RENEWALS + 1) - 1);
                assertThat(between.stream().filter(commits -> commits > 3).count())
                        .as("renewals that waited for more than three commits of the busy process, in %s", between)
                        .isLessThan(between.size() / 10);
            } finally {
                busy.destroyForcibly();
            }
            assertThat(busy.waitFor()).isEqualTo(137);
            // The system frees what a killed process had locked.
            new Caller(store).take(LockKey.of("after"));
        }
    }

    private void renewFromManyThreads(LeaseStore store) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                LeaseRecord lease = new Caller(store).take(LockKey.of("renewed/" + i));
                all.add(threads.submit(() -> renew(store, lease)));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    // Each one a little longer, so that each one is written.
    private static void renew(LeaseStore store, LeaseRecord lease) {
        for (int i = 0; i < RENEWALS; i++) {
            RenewRequest request = new RenewRequest(
                    lease.key(),
                    lease.id(),
                    lease.token(),
                    Duration.ofSeconds(60).plusMillis(100L * i));
            assertThat(store.renew(List.of(request)).only()).isInstanceOf(RenewAnswer.Renewed.class);
        }
    }

    private static List<Integer> commitsBetweenRenewals(List<String> order) {
        List<Integer> between = new ArrayList<>();
        int busy = -1;
        for (String name : order) {
            if (name.startsWith("renewed/")) {
                if (busy >= 0) {
                    between.add(busy);
                }
                busy = 0;
            } else if (busy >= 0) {
                busy++;
            }
        }
        return between;
    }

    private Process start(String url) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BusyProcess.class.getName(),
                        url)
                .redirectError(folder.resolve("errors").toFile())
                .start();
    }
}
