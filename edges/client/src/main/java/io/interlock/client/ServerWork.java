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
import java.util.Collections;
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

    private static final int MAX_MESSAGE = 4_000;
    private static final int MAX_OUTPUT = 100_000;

    private final ServerConnection client;
    private final RunReader runs;
    private final WorkPoll poll;
    private final HeldWork held;

    ServerWork(ServerConnection client, RunReader runs, WorkPoll poll, Ticker ticker) {
        this.client = client;
        this.runs = runs;
        this.poll = poll;
        this.held = new HeldWork(ticker);
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
        claimed.forEach(held::take);
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

    /** Several are left open: the engine then sends them one by one, at the same time. */
    @Override
    public Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests) {
        if (requests.size() > 1) {
            return Answers.partly(Collections.nCopies(requests.size(), null));
        }
        HeartbeatRequest request = requests.get(0);
        Claimed claimed = held.find(request.lease()).orElse(null);
        if (claimed == null) {
            return Answers.of(List.of(new HeartbeatAnswer.Lost(LossCause.GONE, null)));
        }
        Facts body = proof(request.lease(), request.token()).and("stage", request.stage());
        if (request.progress() != null) {
            body.and("progress", RunFacts.progress(request.progress()));
        }
        Answer answer = heartbeat(
                request.run().toString(), body, claimed.run().spec().terms().ttl());
        if (!answer.isGood()) {
            return Answers.of(List.of(new HeartbeatAnswer.Lost(ServerLeaseStore.cause(answer.body()), null)));
        }
        held.confirm(request.lease());
        return Answers.of(List.of(new HeartbeatAnswer.Beating(claimed.lease(), RunReader.stop(answer.body()))));
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        if (requests.size() > 1) {
            return Answers.partly(Collections.nCopies(requests.size(), null));
        }
        FinishRequest request = requests.get(0);
        Claimed claimed = held.find(request.lease()).orElse(null);
        if (claimed == null) {
            return Answers.of(List.of(new FinishAnswer.LeaseLost(LossCause.GONE, null)));
        }
        Facts body =
                proof(request.lease(), request.token()).merge(ending(request.ending(), held.output(request.lease())));
        Answer answer = clear(() -> client.tryPost("/runs/" + request.run() + "/finish", body, Duration.ZERO));
        held.forget(request.lease());
        Run run = claimed.run();
        if (answer.isGood()) {
            return Answers.of(List.of(new FinishAnswer.Finished(RunReader.ended(run, answer.body()))));
        }
        return Answers.of(List.of(
                answer.status() == CONFLICT
                        ? new FinishAnswer.AlreadyFinished(run)
                        : new FinishAnswer.LeaseLost(ServerLeaseStore.cause(answer.body()), run)));
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return held.say(note.lease(), note.text());
    }

    /** Takes in a run that was granted to a caller in this process, and whose lease was confirmed just now. */
    void take(Claimed claimed) {
        held.take(claimed);
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
        return clear(() -> client.heartbeat("/runs/" + run + "/heartbeat", body, ttl));
    }

    /** The answer, if it is one: a server that is away or asked too much has given none. */
    Answer clear(Supplier<Answer> question) {
        Answer answer;
        try {
            answer = question.get();
        } catch (UnreachableException unreachable) {
            throw new StoreUnavailableException(client.toString(), "does not answer", unreachable);
        }
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

    /**
     * What a worker of a server has in hand, by lease: of a run that was lost and came back, the old attempt may end while the new one
     * goes on. A run whose end could not be reported is forgotten once its lease must be over. Safe for use by many threads.
     */
    static final class HeldWork {

        // By the server's clock a lease that was not renewed ends after one of its times; the second is for clocks that
        // differ.
        private static final int TIMES = 2;

        private final Map<LeaseId, Entry> entries = new ConcurrentHashMap<>();
        private final Ticker ticker;

        HeldWork(Ticker ticker) {
            this.ticker = ticker;
        }

        /** Another one, whose lease was confirmed just now. */
        void take(Claimed claimed) {
            entries.values().removeIf(this::isOver);
            entries.put(claimed.lease().id(), new Entry(claimed, "", ticker.nanos()));
        }

        Optional<Claimed> find(LeaseId lease) {
            return Optional.ofNullable(entries.get(lease)).map(Entry::claimed);
        }

        void confirm(LeaseId lease) {
            entries.computeIfPresent(lease, (id, entry) -> new Entry(entry.claimed, entry.output, ticker.nanos()));
        }

        /** Keeps what the work has to say; whether it is still in hand. */
        boolean say(LeaseId lease, String output) {
            return entries.computeIfPresent(lease, (id, entry) -> new Entry(entry.claimed, output, entry.confirmed))
                    != null;
        }

        /** What the work had to say at last. */
        String output(LeaseId lease) {
            Entry entry = entries.get(lease);
            return entry == null ? "" : entry.output;
        }

        void forget(LeaseId lease) {
            entries.remove(lease);
        }

        private boolean isOver(Entry entry) {
            Duration ttl = entry.claimed.run().spec().terms().ttl();
            return ticker.nanos() - entry.confirmed > ttl.multipliedBy(TIMES).toNanos();
        }

        private record Entry(Claimed claimed, String output, long confirmed) {}
    }
}
