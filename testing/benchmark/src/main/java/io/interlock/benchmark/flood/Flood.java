package io.interlock.benchmark.flood;

import io.interlock.benchmark.peer.HttpConnection;
import io.interlock.benchmark.peer.HttpConnection.Answer;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.ServerProcess;
import io.interlock.benchmark.workload.GrowthFill;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * {@code ./interlock flood}: one tenant sends requests over many connections with one key, as fast as they are answered, while
 * another renews leases, does runs and lists locks. It prints how long that took before and during the flood.
 *
 * <p>It passes if no lease was lost and the 99th percentile of renewals rose to at most {@value #BAR} times what it was.
 */
public final class Flood {

    private static final double BAR = 5;
    private static final int FAILED = 1;
    private static final int USAGE = 64;
    private static final int READERS = 40;
    private static final String NEIGHBOUR = "bbb";

    private final FloodArguments arguments;
    private final String store;
    private final String url;
    private final Path folder;
    private volatile boolean over;

    private Flood(FloodArguments arguments, String store, String url, Path folder) {
        this.arguments = arguments;
        this.store = store;
        this.url = url;
        this.folder = folder;
    }

    /** Floods; ends with 1 if a store does not pass, and with 64 if the arguments make no sense. */
    public static void main(String[] words) throws Exception {
        FloodArguments arguments;
        try {
            arguments = FloodArguments.parse(words);
        } catch (IllegalArgumentException wrong) {
            System.err.println("interlock flood: " + wrong.getMessage());
            System.exit(USAGE);
            return;
        }
        Path folder = Files.createTempDirectory("interlock-flood");
        boolean passes = true;
        for (String store : arguments.stores()) {
            if (store.equals("sqlite")) {
                passes &= new Flood(arguments, store, "sqlite:" + folder.resolve("il.db"), folder).run();
            } else {
                try (PostgresUnderTest postgres = PostgresUnderTest.start()) {
                    String url = postgres.newDatabase("flood").storeUrl();
                    passes &= new Flood(arguments, store, url, folder).run();
                }
            }
        }
        System.exit(passes ? 0 : FAILED);
    }

    static void thread(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception failure) {
                System.err.println("flood: " + failure);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    interface Task {
        void run() throws Exception;
    }

    private boolean run() throws Exception {
        try (RunStore filled = (RunStore) Stores.open(url)) {
            long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
            say("history of %d runs", new GrowthFill(filled, until).pastRuns(arguments.history()));
        }
        Path home = Path.of(System.getProperty("interlock.home", "")).toAbsolutePath();
        Map<String, String> jobs = Map.of("INTERLOCK_CONFIG", config().toString());
        try (ServerProcess server = ServerProcess.start(home, folder, url, jobs);
                Neighbour neighbour = new Neighbour(server.port(), key(server, NEIGHBOUR, "worker"))) {
            neighbour.start();
            String trigger = key(server, "default", "trigger");
            String read = key(server, "default", "read");
            AtomicLong number = new AtomicLong();
            Request start = connection -> connection.post(
                    "/api/v1/runs", "{\"key\":\"flood/" + number.getAndIncrement() + "\",\"job\":\"flood\"}");
            Request list = connection -> connection.get("/api/v1/runs?limit=1&"
                    + (number.getAndIncrement() % 2 == 0 ? "state=DEAD,TIMED_OUT" : "key=none*"));
            // Code that is not compiled yet would make the time before the flood long, and the ratio small.
            flood("warming up", arguments.connections(), () -> connect(server, trigger), start, neighbour);
            Neighbour.Figures alone = pause("alone", neighbour);
            Neighbour.Figures flooded =
                    flood("runs started", arguments.connections(), () -> connect(server, trigger), start, neighbour);
            Neighbour.Figures listed = flood("runs listed", READERS, () -> connect(server, read), list, neighbour);
            double ratio = Math.max(flooded.renewP99(), listed.renewP99()) / alone.renewP99();
            boolean passes = ratio <= BAR && neighbour.lost() == 0;
            say("renewals p99 ratio %.2f bar %.0f %s lost %d", ratio, BAR, passes ? "pass" : "FAIL", neighbour.lost());
            return passes;
        }
    }

    private Path config() throws IOException {
        return Files.writeString(
                folder.resolve("flood.yaml"),
                "interlock:\n  jobs:\n    flood: { run: { worker: remote } }\n    neighbour: { run: { worker: remote } }\n");
    }

    private static String key(ServerProcess server, String tenant, String role) throws IOException {
        try (HttpConnection connection =
                new HttpConnection(server.port(), server.key(), "x-tenant: " + tenant + "\r\n")) {
            Answer made = connection.post("/api/v1/keys", "{\"role\":\"" + role + "\"}");
            return made.field("apiKey");
        }
    }

    private static HttpConnection connect(ServerProcess server, String key) throws IOException {
        return new HttpConnection(server.port(), key);
    }

    private interface Connector {
        HttpConnection connect() throws IOException;
    }

    private interface Request {
        Answer send(HttpConnection connection) throws IOException;
    }

    private Neighbour.Figures flood(
            String phase, int connections, Connector connector, Request request, Neighbour neighbour)
            throws InterruptedException {
        Map<Integer, LongAdder> answers = new ConcurrentHashMap<>();
        over = false;
        for (int i = 0; i < connections; i++) {
            thread(() -> {
                while (!over) {
                    send(connector, request, answers);
                }
            });
        }
        Neighbour.Figures figures = pause(phase, neighbour);
        over = true;
        say(
                "%-16s %.0f answers/s of the flood: %s",
                "",
                answers.values().stream().mapToLong(LongAdder::sum).sum()
                        / (double) arguments.time().toSeconds(),
                new TreeMap<>(answers));
        TimeUnit.SECONDS.sleep(2);
        return figures;
    }

    private void send(Connector connector, Request request, Map<Integer, LongAdder> answers) throws IOException {
        try (HttpConnection connection = connector.connect()) {
            while (!over) {
                answers.computeIfAbsent(request.send(connection).status(), status -> new LongAdder())
                        .increment();
            }
        } catch (EOFException closed) {
            // The server closes connections after some refusals; the flood goes on with another one.
        }
    }

    private Neighbour.Figures pause(String phase, Neighbour neighbour) throws InterruptedException {
        neighbour.forget();
        TimeUnit.NANOSECONDS.sleep(arguments.time().toNanos());
        Neighbour.Figures figures = neighbour.figures();
        say(
                "%-16s renew p50 %.1f p99 %.1f max %.1f ms (%d), lost so far %d; p50 start %.1f claim %.1f finish %.1f, locks %.1f (p99 %.1f)",
                phase,
                figures.renewP50(),
                figures.renewP99(),
                figures.renewMax(),
                figures.renewals(),
                neighbour.lost(),
                figures.startP50(),
                figures.claimP50(),
                figures.finishP50(),
                figures.locksP50(),
                figures.locksP99());
        return figures;
    }

    private void say(String format, Object... values) {
        System.out.printf(Locale.ROOT, "flood: " + store + " " + format + "%n", values);
    }
}
