package io.interlock.benchmark;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * How long an unrelated request takes while many clients wait in long polls, against how long it takes while none does. The server is
 * another process; {@code testing/benchmark/long-polls} starts it.
 */
final class LongPolls {

    private static final int REQUESTS = 2_000;
    private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(4);
    private static final Duration BETWEEN_CLIENTS = Duration.ofMillis(3);

    private final String server;
    private final String key;
    private final HttpClient waiting = client();
    private final HttpClient asking = client();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean over;

    private LongPolls(String server, String key) {
        this.server = server;
        this.key = key;
    }

    /** Arguments: the number of clients, and the process id of the server. */
    public static void main(String[] arguments) throws Exception {
        int clients = Integer.parseInt(arguments[0]);
        Path status = Path.of("/proc", arguments[1], "status");
        LongPolls polls = new LongPolls(System.getenv("INTERLOCK_SERVER"), System.getenv("INTERLOCK_API_KEY"));
        polls.measure("warming up");
        double idle = polls.measure("none waits, " + threads(status));
        for (int i = 0; i < clients; i++) {
            polls.wait(i);
            LockSupport.parkNanos(BETWEEN_CLIENTS.toNanos());
        }
        double busy = polls.measure(clients + " wait, " + threads(status));
        polls.over = true;
        System.out.printf(
                "p99 with %d waiting is %.2f times that with none; %d polls were refused%n",
                clients, busy / idle, polls.refused.get());
        System.exit(polls.refused.get() == 0 ? 0 : 1);
    }

    private static String threads(Path status) throws IOException {
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("Threads:") || line.startsWith("VmRSS:"))
                .map(line -> line.replaceAll("\\s+", " "))
                .reduce((one, other) -> one + ", " + other)
                .orElse("");
    }

    private void wait(int client) {
        if (over) {
            return;
        }
        String body = "{\"claimId\": \"" + UUID.randomUUID() + "\", \"worker\": \"worker-" + client
                + "\", \"jobs\": [\"never-submitted\"], \"max\": 1, \"wait\": \"30s\"}";
        CompletionStage<HttpResponse<String>> answer = waiting.sendAsync(
                request("/api/v1/claims").POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
        answer.whenComplete((response, failure) -> {
            if (failure != null || response.statusCode() != 200) {
                refused.incrementAndGet();
            } else {
                wait(client);
            }
        });
    }

    private double measure(String what) throws IOException, InterruptedException {
        long[] took = new long[REQUESTS];
        for (int i = 0; i < REQUESTS; i++) {
            long begun = System.nanoTime();
            HttpResponse<Void> response =
                    asking.send(request("/api/v1/locks?limit=10").GET().build(), BodyHandlers.discarding());
            took[i] = System.nanoTime() - begun;
            if (response.statusCode() != 200) {
                throw new IllegalStateException("answered " + response.statusCode());
            }
            LockSupport.parkNanos(BETWEEN_REQUESTS.toNanos());
        }
        Arrays.sort(took);
        double p99 = millis(took[REQUESTS * 99 / 100]);
        System.out.printf("%-45s p50 %.2f ms, p99 %.2f ms%n", what, millis(took[REQUESTS / 2]), p99);
        return p99;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server + path))
                .header("x-api-key", key)
                .header("content-type", "application/json");
    }

    private static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private static double millis(long nanos) {
        return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
