package io.interlock.cli.backend;

import io.interlock.LeaseId;
import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.backend.ServerClient.Answer;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.locks.Outcome;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A run whose work this process does, on the record of a server. */
final class ServerKeyAcquirer implements KeyAcquirer {

    private static final int CONFLICT = 409;
    private static final int GONE = 410;
    private static final int TOO_MANY = 429;
    private static final int ACCEPTED = 202;

    private final ServerClient client;
    private final Environment environment;

    ServerKeyAcquirer(ServerClient client, Environment environment) {
        this.client = client;
        this.environment = environment;
    }

    @Override
    public Entry enter(KeyAcquirer.Request order) {
        long before = environment.ticker().nanos();
        Answer answer = ask(wish(order));
        Facts body = answer.body();
        if (answer.status() == CONFLICT || answer.status() == TOO_MANY) {
            return busy(
                    order,
                    body.text("code").orElse("lock-held"),
                    body.text("explanation").orElse(body.shown("detail")));
        }
        ServerClient.good(answer);
        if (body.text("leaseId").isPresent()) {
            return new KeyAcquirer.Entry.Granted(new ServerHeldKey(client, body, order.lease(), before, environment));
        }
        return answer.status() == ACCEPTED || isInLine(body)
                ? new KeyAcquirer.Entry.InLine(new ServerPlace(order, body.shown("id")))
                : busy(order, "lock-held", body.shown("explanation"));
    }

    // Once more if the answer was lost: under the same names it is the same run, and the same grant.
    private Answer ask(Facts wish) {
        try {
            return client.tryPost("/runs", wish, Duration.ZERO);
        } catch (Failure lost) {
            if (lost.exitCode() != ExitCode.UNAVAILABLE) {
                throw lost;
            }
            return client.tryPost("/runs", wish, Duration.ZERO);
        }
    }

    private static boolean isInLine(Facts body) {
        return body.shown("state").equals("QUEUED");
    }

    private Facts wish(KeyAcquirer.Request order) {
        return Facts.with("key", order.key().name())
                .and("job", order.job())
                .and("execution", "caller")
                .and("leaseId", LeaseId.random(environment.random()))
                .and("idempotencyKey", LeaseId.random(environment.random()))
                .and("onConflict", order.ifBusy().policy())
                .and("priority", order.priority())
                .and("maxWait", order.maxWait())
                .and("lease", order.lease())
                .and("reason", order.reason())
                .and("labels", new TreeMap<>(order.labels()))
                .and("parameters", Facts.with("program", order.program()));
    }

    private KeyAcquirer.Entry.Busy busy(KeyAcquirer.Request order, String code, String explanation) {
        return new KeyAcquirer.Entry.Busy(lock(order), code, explanation);
    }

    private Facts lock(KeyAcquirer.Request order) {
        return ServerBackend.lock(client, order.key().name());
    }

    private final class ServerPlace implements Place {

        // Whoever says nothing for a quarter of a minute is taken for gone.
        private static final Duration ASK_EVERY = Duration.ofSeconds(8);
        private static final Duration LAST_WORD = Duration.ofSeconds(3);

        private final KeyAcquirer.Request order;
        private final String id;
        private final LeaseId lease = LeaseId.random(environment.random());
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private volatile boolean left;

        ServerPlace(KeyAcquirer.Request order, String id) {
            this.order = order;
            this.id = id;
        }

        @Override
        public Outcome take() throws InterruptedException {
            // On a thread of its own: a request cannot be interrupted, and whoever waits must be.
            environment.threads("interlock-turn").newThread(this::ask).start();
            try {
                return outcome.get();
            } catch (ExecutionException failure) {
                throw failure.getCause() instanceof RuntimeException known ? known : new IllegalStateException(failure);
            }
        }

        @Override
        public View look() {
            return new View(lock(order), (int)
                    client.get("/runs/" + id).number("position").orElse(0));
        }

        @Override
        public void leave() {
            left = true;
            try {
                client.tryPost(
                        "/runs/" + id + "/cancel", Facts.with("reason", "whoever waited has left"), Duration.ZERO);
                if (outcome.get(LAST_WORD.toMillis(), TimeUnit.MILLISECONDS) instanceof Outcome.Taken taken) {
                    taken.held()
                            .finish(new HeldKey.Result(
                                    HeldKey.Result.Kind.ABORTED, 0, "CANCELLED", "its turn came when nobody waited"));
                }
            } catch (Failure | InterruptedException | ExecutionException | TimeoutException none) {
                // What was not told ends by itself.
            }
        }

        private void ask() {
            try {
                while (!outcome.isDone()) {
                    askOnce();
                }
            } catch (RuntimeException failure) {
                outcome.completeExceptionally(failure);
            }
        }

        private void askOnce() {
            Answer answer;
            try {
                answer = client.tryPost(
                        "/runs/" + id + "/claim", Facts.with("leaseId", lease).and("wait", ASK_EVERY), ASK_EVERY);
                if (answer.isGood() && answer.status() != ACCEPTED) {
                    answer = begin(answer);
                }
            } catch (Failure unreachable) {
                if (left) {
                    throw unreachable;
                }
                pause();
                return;
            }
            if (answer.status() == CONFLICT || answer.status() == GONE) {
                Facts error = client.get("/runs/" + id).in("error");
                outcome.complete(new Outcome.Over(
                        error.text("code").orElse("OVER"),
                        error.text("message").orElse(answer.body().shown("detail"))));
                return;
            }
            if (answer.isForNow() && !left) {
                // Somebody may take its place.
                pause();
                return;
            }
            ServerClient.good(answer);
        }

        /**
         * The turn came at some time while we waited, or slept: so the lease is renewed before anything is begun, and counts from then.
         */
        private Answer begin(Answer turn) {
            Facts body = turn.body();
            long before = environment.ticker().nanos();
            Answer heartbeat = client.tryPost(
                    "/runs/" + id + "/heartbeat",
                    Facts.with("leaseId", lease)
                            .and("token", body.number("token").orElse(0)),
                    Duration.ZERO);
            if (heartbeat.isGood()) {
                outcome.complete(new Outcome.Taken(
                        new ServerHeldKey(client, body.and("leaseId", lease), order.lease(), before, environment)));
            }
            return heartbeat;
        }

        // The server may come back; whoever waits too long without it is sent away by it.
        private void pause() {
            CompletableFuture<Void> over = new CompletableFuture<>();
            try (Timers timers = environment.timers("interlock-turn-pause")) {
                timers.after(Duration.ofSeconds(1), () -> over.complete(null));
                over.join();
            }
        }
    }
}
