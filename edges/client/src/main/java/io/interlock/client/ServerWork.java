package io.interlock.client;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LossCause;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.client.ServerConnection.Answer;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.service.Facts;
import io.interlock.service.RunFacts;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.WorkSteps;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.spi.run.WorkSteps.OutputNote;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a worker, by a server: takes runs, sends their heartbeats, says how they ended. Who has which key, and what time brings
 * about, is the server's business. Safe for use by many threads.
 */
final class ServerWork implements WorkSteps {

    private static final Logger log = LoggerFactory.getLogger(ServerWork.class);
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int GONE = 410;
    private static final List<Integer> REFUSED = List.of(400, 413, 422);

    // By the server's clock a lease that was not renewed ends after one of its times; the second is for clocks that
    // differ.
    private static final int TIMES = 2;

    private static final int MAX_MESSAGE = 4_000;
    private static final int MAX_OUTPUT = 100_000;

    private final ServerConnection client;
    private final RunReader runs;
    private final WorkPoll poll;
    private final Ticker ticker;

    // By lease: of a run that was lost and came back, the old attempt may end while the new one goes on.
    private final Map<LeaseId, Held> held = new ConcurrentHashMap<>();

    ServerWork(ServerConnection client, RunReader runs, WorkPoll poll, Ticker ticker) {
        this.client = client;
        this.runs = runs;
        this.poll = poll;
        this.ticker = ticker;
    }

    /** A server gives out the work of one tenant only. */
    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        return poll.watch(lookAgain);
    }

    @Override
    public boolean claimsNext() {
        return false;
    }

    /** The runs that the server has granted meanwhile, at an unknown moment: so each lease is renewed first, and counts from then. */
    @Override
    public List<Claimed> claim(ClaimRequest request) {
        List<Facts> items = poll.fetch(request);
        List<Claimed> claimed = new ArrayList<>();
        items.forEach(item -> taken(item).ifPresent(claimed::add));
        claimed.forEach(this::take);
        items.forEach(poll::fetched);
        return claimed;
    }

    private Optional<Claimed> taken(Facts item) {
        String run = item.in("run").shown("id");
        try {
            return confirm(RunId.parse(run), item, runs.terms(item).ttl()).map(beat -> runs.claimed(item, beat));
        } catch (StoreUnavailableException away) {
            throw away;
        } catch (RuntimeException unusable) {
            // It would be in the way of everything else for ever; its lease ends, and another worker may do it.
            log.warn("run {} cannot be done here, and is left to others: {}", run, unusable.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests) {
        return ServerLeaseStore.alone(requests, this::heartbeat);
    }

    private HeartbeatAnswer heartbeat(HeartbeatRequest request) {
        Held known = held.get(request.lease());
        if (known == null) {
            return new HeartbeatAnswer.Lost(LossCause.GONE, null);
        }
        Facts body = proof(request.lease(), request.token()).and("stage", request.stage());
        if (request.progress() != null) {
            body.and("progress", RunFacts.progress(request.progress()));
        }
        Claimed claimed = known.claimed();
        Answer answer = heartbeat(
                request.run().toString(), body, claimed.run().spec().terms().ttl());
        if (!answer.isGood()) {
            return new HeartbeatAnswer.Lost(ServerLeaseStore.cause(answer.body()), null);
        }
        held.computeIfPresent(request.lease(), (id, one) -> new Held(one.claimed(), one.output(), ticker.nanos()));
        return new HeartbeatAnswer.Beating(claimed.lease(), RunReader.stop(answer.body()));
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        return ServerLeaseStore.alone(requests, this::finish);
    }

    private FinishAnswer finish(FinishRequest request) {
        Held known = held.get(request.lease());
        if (known == null) {
            return new FinishAnswer.LeaseLost(LossCause.GONE, null);
        }
        Facts body = proof(request.lease(), request.token()).merge(ending(request.ending(), known.output()));
        Answer answer = clear(() -> client.tryPost("/runs/" + request.run() + "/finish", body));
        held.remove(request.lease());
        Run run = known.claimed().run();
        if (answer.isGood()) {
            return new FinishAnswer.Finished(RunReader.ended(run, answer.body()));
        }
        return answer.status() == CONFLICT
                ? new FinishAnswer.AlreadyFinished(run)
                : new FinishAnswer.LeaseLost(ServerLeaseStore.cause(answer.body()), run);
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return held.computeIfPresent(note.lease(), (id, one) -> new Held(one.claimed(), note.text(), one.confirmedAt()))
                != null;
    }

    /** Takes in a run whose lease was confirmed just now. A run whose end could not be reported is forgotten once its lease must be over. */
    void take(Claimed claimed) {
        held.values().removeIf(this::isOver);
        held.put(claimed.lease().id(), new Held(claimed, "", ticker.nanos()));
    }

    /** Confirms a lease before anything is begun under it: it counts from then. Empty if it is lost. */
    Optional<Facts> confirm(RunId run, Facts grant, Duration ttl) {
        Answer answer = heartbeat(
                run.toString(),
                Facts.with("leaseId", grant.shown("leaseId"))
                        .and("token", grant.number("token").orElse(0)),
                ttl);
        return answer.isGood() ? Optional.of(answer.body()) : Optional.empty();
    }

    private Answer heartbeat(String run, Facts body, Duration ttl) {
        Answer answer = clear(() -> client.heartbeat("/runs/" + run + "/heartbeat", body, ttl));
        if (answer.isGood() && answer.body().text("expiresAt").isEmpty()) {
            throw new StoreUnavailableException(
                    client.toString(), "answers without an end of the lease, as another program");
        }
        return answer;
    }

    /** The answer, if it is one: a server that is away or asked too much has given none. */
    Answer clear(Supplier<Answer> question) {
        Answer answer = client.clear(question);
        if (REFUSED.contains(answer.status())) {
            throw new IllegalArgumentException(answer.body().shown("detail"));
        }
        if (answer.isGood() || List.of(NOT_FOUND, CONFLICT, GONE).contains(answer.status())) {
            return answer;
        }
        throw new StoreUnavailableException(client.toString(), "answers " + answer.status());
    }

    private static Facts proof(LeaseId lease, FencingToken token) {
        return Facts.with("leaseId", lease).and("token", token.value());
    }

    /** An ending, and the end of what the work had to say. */
    private static Facts ending(Ending ending, String output) {
        return outcome(ending).and("output", output.isEmpty() ? null : fitting(output));
    }

    private static Facts outcome(Ending ending) {
        if (ending instanceof Ending.Succeeded succeeded) {
            String result = succeeded.result();
            return Facts.with("outcome", "SUCCEEDED").and("result", result == null ? null : Json.foreign(result));
        } else if (ending instanceof Ending.Failed failed) {
            return Facts.with("outcome", "FAILED")
                    .and("retryable", failed.retryable())
                    .and("error", error(failed.error()));
        } else if (ending instanceof Ending.TimedOut late) {
            return Facts.with("outcome", "TIMED_OUT").and("error", error(late.error()));
        }
        return Facts.with("outcome", "ABORTED").and("error", error(((Ending.Aborted) ending).error()));
    }

    private static Facts error(RunError error) {
        String message = error.message();
        return Facts.with("code", error.code())
                .and("message", message.substring(0, Math.min(message.length(), MAX_MESSAGE)));
    }

    // Bytes that are no text are written as \\u00xx, which may make more of it than a server takes.
    private static String fitting(String output) {
        String text = output;
        while (Json.line(text).length() > MAX_OUTPUT) {
            text = text.substring(text.length() / 2);
        }
        return text;
    }

    private boolean isOver(Held one) {
        Duration ttl = one.claimed().run().spec().terms().ttl();
        return ticker.nanos() - one.confirmedAt() > ttl.multipliedBy(TIMES).toNanos();
    }

    /**
     * A run in hand.
     *
     * @param output what the work had to say at last
     * @param confirmedAt when its lease was last confirmed
     */
    private record Held(Claimed claimed, String output, long confirmedAt) {}
}
