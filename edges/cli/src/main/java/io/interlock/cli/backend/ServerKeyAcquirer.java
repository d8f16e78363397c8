package io.interlock.cli.backend;

import io.interlock.LeaseId;
import io.interlock.LeaseTerms;
import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.HeldKey;
import io.interlock.cli.backend.KeyAcquirer.HeldKey.Result;
import io.interlock.cli.backend.KeyAcquirer.HeldKey.Stop;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.backend.ServerClient.Answer;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.locks.Outcome;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A run whose work this process does, on the record of a server. */
final class ServerKeyAcquirer implements KeyAcquirer {

    private static final int CONFLICT = 409;
    private static final int GONE = 410;
    private static final int TOO_MANY = 429;
    private static final int ACCEPTED = 202;
    private static final Duration AGAIN = Duration.ofSeconds(1);

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

        // A caller that is silent for 15 s leaves the queue.
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
            // On a thread of its own: a request cannot be interrupted, and a waiter must be.
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
                        "/runs/" + id + "/cancel",
                        Facts.with("reason", "the waiting command was ended"),
                        Duration.ZERO);
                if (outcome.get(LAST_WORD.toMillis(), TimeUnit.MILLISECONDS) instanceof Outcome.Taken taken) {
                    taken.held()
                            .finish(new HeldKey.Result(
                                    HeldKey.Result.Kind.ABORTED,
                                    0,
                                    "CANCELLED",
                                    "its turn came after the waiting command had ended"));
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
                // The server may come back; a wait that is too long ends there.
                pause(environment, AGAIN);
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
                // Another server may take its place.
                pause(environment, AGAIN);
                return;
            }
            ServerClient.good(answer);
        }

        /** The turn came at some time while we waited, or slept: so the lease is renewed before anything is begun, and counts from then. */
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
    }

    /**
     * A lease that a server keeps for this process, kept alive by heartbeats from here. Whether it can still be relied upon is judged by
     * the local clock, from before the last confirmed request was sent, on a timer that never waits for the server.
     */
    static final class ServerHeldKey implements HeldKey {

        private static final int GONE = 410;
        private static final int FINISHED = 409;

        private final ServerClient client;
        private final String run;
        private final String leaseId;
        private final long token;
        private final Duration lease;
        private final Duration every;
        private final long reliance;
        private final Environment environment;
        private final Timers heartbeats;
        private final Timers watch;
        private final CompletableFuture<Stop> stop = new CompletableFuture<>();
        private volatile long confirmed;
        private volatile boolean ended;
        private @Nullable String stage;
        private @Nullable Facts progress;

        /**
         * A lease just granted.
         *
         * @param before taken before the request was sent that brought it
         */
        ServerHeldKey(ServerClient client, Facts grant, Duration lease, long before, Environment environment) {
            this.client = client;
            this.run = grant.shown("id");
            this.leaseId = grant.shown("leaseId");
            this.token = grant.number("token").orElse(0);
            this.every = grant.duration("heartbeatEvery").orElse(lease.dividedBy(3));
            this.lease = lease;
            this.reliance = LeaseTerms.of(lease).reliance().toNanos();
            this.environment = environment;
            this.confirmed = before;
            this.heartbeats = environment.timers("interlock-heartbeats");
            this.watch = environment.timers("interlock-deadline");
            heartbeats.after(every, this::heartbeat);
            watch.after(Duration.ofNanos(reliance), this::judge);
        }

        @Override
        public String runId() {
            return run;
        }

        @Override
        public long token() {
            return token;
        }

        @Override
        public Duration remaining() {
            Stop told = stop.getNow(null);
            return told != null && told.kind() == Stop.Kind.LOST
                    ? Duration.ZERO
                    : Duration.ofNanos(
                            Math.max(0, reliance - (environment.ticker().nanos() - confirmed)));
        }

        @Override
        public void onStop(Consumer<Stop> listener) {
            var unused = stop.thenAccept(listener);
        }

        @Override
        public void stage(String name) {
            synchronized (this) {
                stage = name;
            }
            heartbeats.after(Duration.ZERO, this::tell);
        }

        @Override
        public synchronized void progress(long done, @Nullable Long total) {
            progress = Facts.with("done", done).and("total", total);
        }

        @Override
        public Optional<Stop> finish(Result result) {
            Stop before = stop.getNow(null);
            boolean lost = before != null && before.kind() == Stop.Kind.LOST;
            if (hasWords() && !lost) {
                tell();
            }
            ended = true;
            heartbeats.close();
            watch.close();
            if (lost) {
                // Its word counts no more, and a server that hangs would only keep us from ending.
                return Optional.of(before);
            }
            Facts body = proof().and("outcome", outcome(result));
            if (result.kind() == Result.Kind.SUCCEEDED) {
                body = body.and("result", Facts.with("exitCode", result.exitCode()));
            } else {
                body = body.and("error", Facts.with("code", result.code()).and("message", result.message()));
            }
            return finish(body);
        }

        private Optional<Stop> finish(Facts body) {
            while (true) {
                String why;
                try {
                    Answer answer = client.tryPost("/runs/" + run + "/finish", body, Duration.ZERO);
                    if (answer.isGood() || answer.status() == FINISHED) {
                        return Optional.empty();
                    }
                    why = answer.body().text("detail").orElse("the server answered with " + answer.status());
                    if (!answer.isForNow()) {
                        return Optional.of(new Stop(answer.status() == GONE ? Stop.Kind.LOST : Stop.Kind.UNTOLD, why));
                    }
                } catch (Failure unreachable) {
                    why = unreachable.what();
                }
                if (remaining().isZero()) {
                    return Optional.of(new Stop(Stop.Kind.UNTOLD, why));
                }
                pause(environment, every.dividedBy(4));
            }
        }

        private static String outcome(Result result) {
            return switch (result.kind()) {
                case SUCCEEDED -> "SUCCEEDED";
                case FAILED -> "FAILED";
                case TIMED_OUT -> "TIMED_OUT";
                case ABORTED -> "ABORTED";
            };
        }

        private void heartbeat() {
            Duration next = tell() ? every : every.dividedBy(4);
            if (!ended) {
                heartbeats.after(next, this::heartbeat);
            }
        }

        /** Sends a heartbeat: whether there was an answer. */
        private boolean tell() {
            long before = environment.ticker().nanos();
            Facts body;
            synchronized (this) {
                body = proof().and("stage", stage).and("progress", progress);
            }
            try {
                Answer answer = client.heartbeat("/runs/" + run + "/heartbeat", body, lease);
                hear(answer, before);
                return !answer.isForNow();
            } catch (Failure unreachable) {
                return false;
            }
        }

        private void hear(Answer answer, long before) {
            if (answer.isGood()) {
                confirmed = before;
                if (answer.body().is("cancelRequested")) {
                    stop.complete(new Stop(
                            Stop.Kind.CANCELLED,
                            "a stop was requested: "
                                    + answer.body().text("cancelReason").orElse("no reason given")));
                }
            } else if (answer.status() == GONE) {
                stop.complete(new Stop(
                        Stop.Kind.LOST, answer.body().text("detail").orElse("the server says that the lease is lost")));
            }
        }

        private void judge() {
            Duration left = remaining();
            if (left.isZero()) {
                stop.complete(new Stop(Stop.Kind.LOST, "the lease is lost: no heartbeat was confirmed in time"));
            } else if (!ended) {
                watch.after(left, this::judge);
            }
        }

        private synchronized boolean hasWords() {
            return stage != null || progress != null;
        }

        private Facts proof() {
            return Facts.with("leaseId", leaseId).and("token", token);
        }
    }

    private static void pause(Environment environment, Duration time) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        try (Timers timers = environment.timers("interlock-pause")) {
            timers.after(time, () -> over.complete(null));
            over.join();
        }
    }
}
