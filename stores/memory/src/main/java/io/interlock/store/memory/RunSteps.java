package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.BeatAnswer;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.SweepAction;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import io.interlock.spi.run.rules.Finishing;
import io.interlock.spi.run.rules.Line;
import io.interlock.spi.run.rules.Resources;
import io.interlock.spi.run.rules.Stopping;
import io.interlock.spi.run.rules.Submission;
import io.interlock.spi.run.rules.Working;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The verbs about runs, each one atomic step per key of a {@link RunTable}. */
class RunSteps extends RunLooks {

    private final RunTable table;
    private final Books books;
    private final PauseSteps pauses;
    private final Object claiming = new Object();

    RunSteps(RunTable table) {
        this(table, Books.of(table));
    }

    RunSteps(RunTable table, Books books) {
        super(table);
        this.table = table;
        this.books = books;
        pauses = new PauseSteps(table);
    }

    Books books() {
        return books;
    }

    PauseSteps pauses() {
        return pauses;
    }

    SubmitAnswer submit(SubmitRequest request) {
        return table.step(request.key(), room -> {
            Run known = table.rows.run(request.id()).orElse(null);
            if (known != null) {
                return Submission.repeated(room, request, known);
            }
            SubmitRequest.Idempotency idempotency = request.idempotency();
            if (idempotency == null) {
                return Submission.submit(room, request);
            }
            NameRows.Name name = name(request.key(), idempotency);
            Instant now = table.now();
            NameRows.Remembered before = table.rows.names.find(name, now).orElse(null);
            if (before != null) {
                Run run = table.rows.run(before.run()).orElseThrow();
                return Submission.remembered(room, idempotency, before.fingerprint(), run);
            }
            SubmitAnswer answer = Submission.submit(room, request);
            resulting(answer).ifPresent(run -> table.rows.names.remember(name, idempotency, run, now));
            return answer;
        });
    }

    /** What a tenant has a name for. */
    NameRows.Name name(LockKey key, SubmitRequest.Idempotency idempotency) {
        return new NameRows.Name(key.tenant(), idempotency.key());
    }

    /** Claims are made one after the other, so that the same one made twice at once is one. */
    List<Claimed> claim(ClaimRequest request) {
        synchronized (claiming) {
            List<LockKey> keys = table.rows.keysAtWork().stream()
                    .filter(key -> request.wants(key.tenant()))
                    .toList();
            // A look at a key also settles it: what has become free since is claimed at once.
            List<Claimed> before = keys.stream()
                    .map(key -> table.step(key, room -> Working.claimedBefore(room, request)))
                    .flatMap(Optional::stream)
                    .toList();
            return before.isEmpty() ? claimAnew(request) : before;
        }
    }

    private List<Claimed> claimAnew(ClaimRequest request) {
        Instant now = table.now();
        List<Claimed> claimed = new ArrayList<>();
        for (Run run : turns(table.alone(rows -> rows.pending(request)), order(now))) {
            if (claimed.size() == request.max()) {
                break;
            }
            table.step(run.key(), room -> Working.claim(room, request)).ifPresent(claimed::add);
        }
        return List.copyOf(claimed);
    }

    // The first of every tenant, then the second of every tenant: nobody's long line keeps others waiting.
    private static List<Run> turns(List<Run> pending, Comparator<Run> order) {
        Map<String, Integer> before = new HashMap<>();
        Map<RunId, Integer> place = new HashMap<>();
        pending.stream()
                .sorted(order)
                .forEach(run -> place.put(run.id(), before.merge(run.key().tenant(), 1, Integer::sum)));
        return pending.stream()
                .sorted(Comparator.<Run>comparingInt(run -> place.getOrDefault(run.id(), 0))
                        .thenComparing(order))
                .toList();
    }

    /** In which order runs of different keys are claimed. */
    Comparator<Run> order(Instant now) {
        return Line.order(now);
    }

    TurnAnswer takeTurn(TurnRequest request) {
        return table.step(request.key(), room -> Working.takeTurn(room, request, known(request.run())));
    }

    BeatAnswer beat(BeatRequest request) {
        return table.step(request.key(), room -> Working.beat(room, request));
    }

    FinishAnswer finish(FinishRequest request) {
        return table.step(request.key(), room -> Finishing.finish(room, request, known(request.run())));
    }

    CancelAnswer cancel(CancelRequest request) {
        Optional<Run> run = find(request.run());
        if (run.isEmpty()) {
            return new CancelAnswer.Unknown();
        }
        return table.step(
                run.get().key(),
                room -> Stopping.cancel(
                        room, request, table.rows.run(request.run()).orElseThrow()));
    }

    ResourceAnswer setResource(ResourceRequest request) {
        return table.step(request.key(), room -> Resources.set(room, request));
    }

    List<SweepAction> sweep(int limit) {
        List<SweepAction> done = new ArrayList<>();
        int keys = 0;
        for (LockKey key : table.rows.keys()) {
            List<SweepAction> here = table.sweepRuns(key);
            done.addAll(here);
            keys += here.isEmpty() ? 0 : 1;
            if (keys == limit) {
                break;
            }
        }
        return List.copyOf(done);
    }

    private @Nullable Run known(RunId id) {
        return table.rows.run(id).orElse(null);
    }

    private static Optional<RunId> resulting(SubmitAnswer answer) {
        if (answer instanceof SubmitAnswer.Started started) {
            return Optional.of(started.run().id());
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return Optional.of(queued.run().id());
        }
        return answer instanceof SubmitAnswer.Joined joined
                ? Optional.of(joined.run().id())
                : Optional.empty();
    }
}
