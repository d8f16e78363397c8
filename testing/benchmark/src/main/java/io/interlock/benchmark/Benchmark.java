package io.interlock.benchmark;

import io.interlock.LockKey;
import io.interlock.locks.Locks;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import redis.embedded.RedisServer;

/**
 * Runs all peers in turn, several rounds, at 1, 8 and 64 threads, and prints medians and ratios as Markdown. The argument
 * is the number of milliseconds for each measurement; the default is 2000.
 */
public final class Benchmark {

    private static final int[] THREADS = {1, 8, Measurement.MAX_THREADS};
    private static final int ROUNDS = 3;

    private Benchmark() {}

    /** Starts the servers, measures, prints, stops the servers. */
    public static void main(String[] arguments) throws Exception {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 2000;
        Path folder = Files.createTempDirectory("interlock-benchmark");
        int redisPort = 16379;
        RedisServer redis = RedisServer.builder().port(redisPort).build();
        redis.start();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200")
                .start()) {
            List<Peer> peers = open(folder, postgres, redisPort);
            print("acquire + release, a key per thread", peers, Measurement::ofCycles, millis);
            print("refusal, a key held by another client", peers, Measurement::ofRefusals, millis);
            for (Peer peer : peers) {
                peer.close();
            }
        } finally {
            redis.stop();
        }
    }

    private static List<Peer> open(Path folder, EmbeddedPostgres postgres, int redisPort) throws Exception {
        String postgresUrl = "postgresql://postgres@localhost:" + postgres.getPort() + "/postgres";
        String sqlite = "sqlite:" + folder.resolve("benchmark.db");
        // A fresh Redis may have lost leases; the shortest lease keeps the quiet period short.
        String redisUrl = "redis://127.0.0.1:" + redisPort + "?maxLease=30s";
        awaitGrants(redisUrl);
        return List.of(
                new InterlockPeer("interlock memory:", "memory:", "memory:"),
                new InterlockPeer("interlock sqlite:", sqlite, sqlite),
                new InterlockPeer("interlock postgresql:", postgresUrl, postgresUrl),
                new ShedLockPeer(postgres.getJdbcUrl("postgres", "postgres")),
                new InterlockPeer("interlock redis:", redisUrl, redisUrl),
                new RedissonPeer(redisPort));
    }

    private static void awaitGrants(String url) throws InterruptedException {
        try (Locks locks = Locks.open(url)) {
            locks.acquire(LockKey.of("warm-up"), Duration.ofMinutes(1))
                    .orElseThrow()
                    .close();
        }
    }

    private static void print(String title, List<Peer> peers, Kind kind, long millis) throws Exception {
        Map<String, Map<Integer, List<Measurement>>> all = new TreeMap<>();
        for (int round = 0; round <= ROUNDS; round++) {
            for (int threads : THREADS) {
                for (Peer peer : peers) {
                    Measurement measured = kind.measure(peer, threads, millis);
                    if (round > 0) { // the first round warms up
                        all.computeIfAbsent(peer.name(), name -> new TreeMap<>())
                                .computeIfAbsent(threads, count -> new ArrayList<>())
                                .add(measured);
                    }
                }
            }
        }
        System.out.println("\n### " + title + "\n");
        System.out.println("| peer | "
                + String.join(
                        " | ",
                        Arrays.stream(THREADS)
                                .mapToObj(threads -> threads + "T per second | first µs | second µs")
                                .toList())
                + " |");
        System.out.println("|---|" + "---:|---:|---:|".repeat(THREADS.length));
        for (Peer peer : peers) {
            StringBuilder row = new StringBuilder("| " + peer.name());
            for (int threads : THREADS) {
                List<Measurement> rounds =
                        all.getOrDefault(peer.name(), Map.of()).getOrDefault(threads, List.of());
                row.append(String.format(
                        Locale.ROOT,
                        " | %,.0f | %.1f | %.1f",
                        median(rounds.stream()
                                .map(Measurement::perSecond)
                                .sorted()
                                .toList()),
                        median(rounds.stream()
                                .map(Measurement::firstMedian)
                                .sorted()
                                .toList()),
                        median(rounds.stream()
                                .map(Measurement::secondMedian)
                                .sorted()
                                .toList())));
            }
            System.out.println(row + " |");
        }
    }

    private static double median(List<Double> sorted) {
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    private interface Kind {
        Measurement measure(Peer peer, int threads, long millis) throws Exception;
    }
}
