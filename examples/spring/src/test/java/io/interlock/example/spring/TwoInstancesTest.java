package io.interlock.example.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.servers.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two instances of the application on one database, one of which is killed in the middle of a run: never do both run, and never none for
 * longer than a lease. {@code -Dinterlock.example.seconds=60} makes it longer.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TwoInstancesTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    /** Until a living instance asks again (0.2 s), and for a machine that is busy with other tests. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    private final PostgresServer server = PostgresServer.start(PostgresServer.DURABLE);
    private final List<Process> instances = new ArrayList<>();

    private record Report(long process, Instant began, Instant ended) {}

    @AfterEach
    void stop() throws InterruptedException {
        for (Process instance : instances) {
            instance.destroyForcibly().waitFor();
        }
        server.close();
    }

    @Test
    void neverBothAndNeverNoneForLongerThanALease(@TempDir Path folder) throws Exception {
        start(folder);
        start(folder);
        await().atMost(Duration.ofSeconds(90)).until(() -> bothHaveRun());
        Map<Long, Instant> killed = new HashMap<>();
        Process victim = killInTheMiddle();
        killed.put(victim.pid(), now());
        Instant end = now().plusSeconds(Long.getLong("interlock.example.seconds", 3));
        await().atMost(Duration.ofSeconds(150))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> now().isAfter(end));

        List<Report> reports = reports(killed);
        Duration longest = Duration.ZERO;
        for (int i = 1; i < reports.size(); i++) {
            Report before = reports.get(i - 1);
            Report next = reports.get(i);
            assertThat(next.began()).as("%s and %s", before, next).isAfterOrEqualTo(before.ended());
            Duration none = Duration.between(before.ended(), next.began());
            longest = none.compareTo(longest) > 0 ? none : longest;
        }
        Duration last = Duration.between(reports.get(reports.size() - 1).ended(), now());
        System.out.printf(
                "%d reports, longest time without one %d ms (lease %d ms)%n",
                reports.size(), longest.toMillis(), LEASE.toMillis());
        assertThat(longest).isLessThan(LEASE.plus(SLACK));
        assertThat(last).isLessThan(LEASE.plus(SLACK));
        assertThat(reports.get(reports.size() - 1).process()).isNotEqualTo(victim.pid());
        // A killed instance leaves its lease, so the key was closed for a while, but not longer than that.
        assertThat(longest).isGreaterThan(Duration.ofMillis(500));
    }

    private void start(Path folder) throws IOException {
        instances.add(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReportApplication.class.getName(),
                        "--spring.datasource.url=jdbc:postgresql://localhost:" + server.port() + "/postgres",
                        "--spring.datasource.username=postgres",
                        "--report.lease=" + LEASE.toSeconds() + "s")
                .redirectErrorStream(true)
                .redirectOutput(
                        folder.resolve("instance-" + instances.size() + ".log").toFile())
                .start());
    }

    private boolean bothHaveRun() throws SQLException {
        assertThat(instances).allMatch(Process::isAlive);
        return ask("SELECT to_regclass('report') IS NOT NULL").equals("t")
                && ask("SELECT count(DISTINCT process) FROM report").equals("2");
    }

    private Process killInTheMiddle() {
        long[] running = new long[1];
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    running[0] =
                            Long.parseLong(ask("SELECT coalesce(max(process), 0) FROM report WHERE ended IS NULL"));
                    return running[0] != 0;
                });
        Process victim = instances.stream()
                .filter(instance -> instance.pid() == running[0])
                .findFirst()
                .orElseThrow();
        victim.destroyForcibly();
        await().until(() -> !victim.isAlive());
        return victim;
    }

    private List<Report> reports(Map<Long, Instant> killed) throws SQLException {
        List<Report> reports = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT process, began, ended FROM report ORDER BY token")) {
            while (row.next()) {
                long process = row.getLong(1);
                Instant began = row.getTimestamp(2).toInstant();
                if (row.getTimestamp(3) != null) {
                    reports.add(new Report(process, began, row.getTimestamp(3).toInstant()));
                } else if (killed.containsKey(process)) {
                    reports.add(new Report(process, began, killed.get(process)));
                }
            }
        }
        assertThat(reports).hasSizeGreaterThan(5);
        return reports;
    }

    private Instant now() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
            row.next();
            return row.getTimestamp(1).toInstant();
        }
    }

    private String ask(String sql) {
        return server.ask(sql);
    }
}
