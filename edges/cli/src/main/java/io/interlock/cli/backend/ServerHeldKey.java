package io.interlock.cli.backend;

import io.interlock.LeaseTerms;
import io.interlock.cli.backend.HeldKey.Result;
import io.interlock.cli.backend.HeldKey.Stop;
import io.interlock.cli.backend.ServerClient.Answer;
import io.interlock.cli.text.Failure;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease that a server keeps for this process, kept alive by heartbeats from here. Whether it can still be relied upon is judged by
 * the local clock, from before the last confirmed request was sent, on a timer that never waits for the server.
 */
final class ServerHeldKey implements HeldKey {

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
     * @param grant what the server said
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
                : Duration.ofNanos(Math.max(0, reliance - (environment.ticker().nanos() - confirmed)));
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
            pause(every.dividedBy(4));
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
                        "somebody wants it to stop: "
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

    private void pause(Duration time) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        try (Timers timers = environment.timers("interlock-finish")) {
            timers.after(time, () -> over.complete(null));
            over.join();
        }
    }
}
