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

/**
 * Two instances of the application on one database, one of which is killed in the middle of a run: never do both run, and never none for
 * longer than a lease. Closing it ends all of them.
 */
final class TwoInstances implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(2);

    /** Until a living instance asks again (0.2 s), and for a machine that is busy with other tests. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    private final PostgresServer server = PostgresServer.start(PostgresServer.DURABLE);
    private final List<Process> instances = new ArrayList<>();

    private record Report(long process, Instant began, Instant ended) {}

    @Override
    public void close() {
        for (Process instance : instances) {
            instance.destroyForcibly().onExit().join();
        }
        server.close();
    }

    /**
     * Starts the instances, kills one, and holds the runs of all against each other.
     *
     * @param application the words that start one; settings follow
     * @param seconds how long the one that is left works alone
     * @return how it went, in words
     */
    String neverBothAndNeverNoneForLongerThanALease(Path folder, List<String> application, long seconds)
            throws Exception {
        start(folder, application);
        start(folder, application);
        await().atMost(Duration.ofMinutes(5)).until(() -> bothHaveRun());
        Map<Long, Instant> killed = new HashMap<>();
        Process victim = killInTheMiddle();
        killed.put(victim.pid(), now());
        Instant end = now().plusSeconds(seconds);
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
        assertThat(longest).isLessThan(LEASE.plus(SLACK));
        assertThat(last).isLessThan(LEASE.plus(SLACK));
        assertThat(reports.get(reports.size() - 1).process()).isNotEqualTo(victim.pid());
        // A killed instance leaves its lease, so the key was closed for a while, but not longer than that.
        assertThat(longest).isGreaterThan(Duration.ofMillis(500));
        return "%d reports in %d s, 0 overlaps, longest time without one %d ms (lease %d ms)"
                .formatted(
                        reports.size(),
                        Duration.between(reports.get(0).began(), now()).toSeconds(),
                        longest.toMillis(),
                        LEASE.toMillis());
    }

    private void start(Path folder, List<String> application) throws IOException {
        List<String> command = new ArrayList<>(application);
        command.addAll(List.of(
                "--spring.datasource.url=jdbc:postgresql://localhost:" + server.port() + "/postgres",
                "--spring.datasource.username=postgres",
                "--report.lease=" + LEASE.toSeconds() + "s"));
        instances.add(new ProcessBuilder(command)
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
