package io.interlock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.servers.PostgresServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A database that dies while clients of every kind have requests under way, and comes back. */
class OutageInFlightTest {

    private static final int STARTERS = 4;
    private static final int WORKERS = 3;
    private static final int READERS = 2;
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final PostgresServer postgres = PostgresServer.start(PostgresServer.DURABLE);

    private final EngineRig rig = EngineRig.on(postgres.url("timeout=1s"));
    private final List<Client> clients = new ArrayList<>();
    private final Map<String, Set<String>> runsByName = new ConcurrentHashMap<>();
    private final Queue<String> surprises = new ConcurrentLinkedQueue<>();
    private volatile boolean starting = true;
    private volatile boolean going = true;

    @AfterAll
    static void end() {
        postgres.close();
    }

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void whatIsUnderWayIsAnsweredWith503AndNothingIsLostOrDoneTwice() throws Exception {
        String trigger = rig.key(Role.TRIGGER);
        String worker = rig.key(Role.WORKER);
        String reader = rig.key(Role.READ);
        JsonObject mine = rig.post("/runs", Role.WORKER, "{\"key\": \"mine\", \"execution\": \"caller\"}")
                .is(201)
                .json();
        for (int i = 0; i < STARTERS; i++) {
            String name = "s" + i;
            clients.add(new Client(trigger, client -> starts(client, name)));
        }
        for (int i = 0; i < WORKERS; i++) {
            String name = "w" + i;
            clients.add(new Client(worker, client -> works(client, name)));
        }
        for (int i = 0; i < READERS; i++) {
            clients.add(new Client(reader, this::reads));
        }
        clients.add(new Client(worker, client -> heartbeats(client, mine)));
        ExecutorService threads = Executors.newFixedThreadPool(clients.size());
        try {
            List<CompletableFuture<Void>> all = clients.stream()
                    .map(client -> CompletableFuture.runAsync(client, threads))
                    .toList();
            everybodyIs("answered", client -> client.answered.get() >= 5);
            postgres.die();
            everybodyIs("sent away", client -> client.sentAway.get() >= 2);
            clients.forEach(client -> client.answered.set(0));
            postgres.startAgain();
            everybodyIs("answered again", client -> client.answered.get() >= 5);
            starting = false;
            await().atMost(LONG).until(() -> surprises.size() > 0 || allHaveEnded());
            going = false;
            for (CompletableFuture<Void> one : all) {
                one.get(LONG.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            going = false;
            threads.shutdown();
        }
        assertThat(surprises)
                .as("answers that are neither the request's own nor 503")
                .isEmpty();
        assertThat(runsByName.values())
                .as("one run for each start, however often it was asked for")
                .allSatisfy(runs -> assertThat(runs).hasSize(1));
        assertThat(runs())
                .extracting(run -> run.getString("state") + " after " + run.getInteger("attempt"))
                .hasSize(runsByName.size())
                .containsOnly("SUCCEEDED after 1");
    }

    private void everybodyIs(String what, Predicate<Client> state) {
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(
                                surprises.size() > 0 || clients.stream().allMatch(state))
                        .as(what)
                        .isTrue());
        assertThat(surprises).isEmpty();
    }

    private boolean allHaveEnded() {
        return runs().stream().allMatch(run -> run.getString("state").equals("SUCCEEDED"));
    }

    /** All runs that clients have started. */
    private List<JsonObject> runs() {
        List<JsonObject> found = new ArrayList<>();
        String cursor = "";
        do {
            JsonObject page = rig.get("/runs?limit=200&key=started/*" + cursor, Role.READ)
                    .is(200)
                    .json();
            page.getJsonArray("items").forEach(run -> found.add((JsonObject) run));
            cursor = page.containsKey("cursor") ? "&cursor=" + page.getString("cursor") : "";
        } while (!cursor.isEmpty());
        return found;
    }

    /** Starts one run after the other, each under a name of its own that it asks with until it has an answer. */
    private void starts(Client client, String name) {
        for (int i = 0; starting; i++) {
            String start = name + "-" + i;
            JsonObject body = new JsonObject()
                    .put("key", "started/" + start)
                    .put("job", "remote")
                    .put("idempotencyKey", start);
            client.insist("/runs", body, 200, 201)
                    .ifPresent(run -> runsByName
                            .computeIfAbsent(start, fresh -> ConcurrentHashMap.newKeySet())
                            .add(run.getString("id")));
        }
    }

    /** Takes work, and reports that it is done; repeats the same request when no answer comes. */
    private void works(Client client, String name) {
        while (going) {
            JsonObject claim = new JsonObject()
                    .put("claimId", EngineRig.uuid())
                    .put("worker", name)
                    .put("jobs", new JsonArray().add("remote"))
                    .put("max", 3)
                    .put("wait", "200ms");
            JsonArray items = client.insist("/claims", claim, 200)
                    .map(answer -> answer.getJsonArray("items"))
                    .orElseGet(JsonArray::new);
            items.forEach(item -> done(client, (JsonObject) item));
        }
    }

    private static void done(Client client, JsonObject item) {
        JsonObject finish = new JsonObject()
                .put("leaseId", item.getString("leaseId"))
                .put("token", item.getLong("token"))
                .put("outcome", "SUCCEEDED");
        client.insist("/runs/" + item.getJsonObject("run").getString("id") + "/finish", finish, 200);
    }

    private void reads(Client client) {
        while (going) {
            client.once(client.get("/runs?limit=5"), 200);
            client.once(client.get("/locks?limit=5"), 200);
        }
    }

    private void heartbeats(Client client, JsonObject run) {
        JsonObject heartbeat =
                new JsonObject().put("leaseId", run.getString("leaseId")).put("token", run.getLong("token"));
        while (going) {
            client.once(client.posting("/runs/" + run.getString("id") + "/heartbeat", heartbeat), 200);
        }
    }

    /** What a client does. */
    private interface Doing {
        void run(Client client);
    }

    /** A client that sends one request after the other, and checks every answer. */
    private final class Client implements Runnable {
        private final String key;
        private final Doing doing;
        private final AtomicInteger answered = new AtomicInteger();
        private final AtomicInteger sentAway = new AtomicInteger();

        Client(String key, Doing doing) {
            this.key = key;
            this.doing = doing;
        }

        @Override
        public void run() {
            try {
                doing.run(this);
            } catch (RuntimeException | Error failure) {
                surprises.add(failure.toString());
            }
        }

        HttpRequest get(String path) {
            return rig.request(path, key).GET().build();
        }

        HttpRequest posting(String path, JsonObject body) {
            return rig.posting(path, key, body.encode());
        }

        /** Asks until there is an answer other than that the store is away, or the test is over. */
        Optional<JsonObject> insist(String path, JsonObject body, Integer... expected) {
            while (going) {
                HttpResponse<String> answer = once(posting(path, body), expected);
                if (answer.statusCode() != 503) {
                    return Optional.of(new JsonObject(answer.body()));
                }
            }
            return Optional.empty();
        }

        HttpResponse<String> once(HttpRequest request, Integer... expected) {
            HttpResponse<String> answer =
                    rig.http().sendAsync(request, BodyHandlers.ofString()).join();
            if (answer.statusCode() == 503
                    && new JsonObject(answer.body()).getString("code").equals("store-unavailable")
                    && answer.headers().firstValue("Retry-After").isPresent()) {
                sentAway.incrementAndGet();
            } else if (Set.of(expected).contains(answer.statusCode())) {
                answered.incrementAndGet();
            } else {
                surprises.add(
                        request.method() + " " + request.uri() + ": " + answer.statusCode() + " " + answer.body());
                going = false;
            }
            return answer;
        }
    }
}
