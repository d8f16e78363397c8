package io.interlock.service;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.HoldEstimate;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.RefusalCount;
import io.interlock.run.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The JSON of a lock: one key, its holder, its pause and its waiters. */
public final class LockFacts {

    /** How far back refusals under one key are shown. */
    public static final Duration REFUSALS_SHOWN = Duration.ofHours(1);

    private LockFacts() {}

    /** A key as it was seen. */
    public static Facts of(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        Run under = lease == null || run == null || !isUnder(lease, run) ? null : run;
        return Facts.with("key", view.key().name())
                .and("state", view.state())
                .and("holder", lease != null ? holder(lease, run) : run == null ? null : holder(run))
                .orNull("token", lease == null ? null : lease.token().value())
                .and("since", lease, LeaseRecord::grantedAt)
                .and("leaseLeft", lease, LeaseRecord::remaining)
                .and("eviction", lease == null ? null : lease.eviction(), LockFacts::eviction)
                // Of a lease that is no run's, the ttl is not known.
                .and("renewedAt", under == null || lease == null ? null : RunFacts.renewedAt(lease, under))
                .and("renewedEvery", under, RunFacts::heartbeatEvery)
                .and("job", run, Run::job)
                .and("stage", run, RunFacts::stage)
                .and("progress", run, seen -> RunFacts.progress(seen.status().progress()))
                .and("waiting", view.waiting())
                .and("waitingSince", view.waitingSince())
                .and("observedAt", view.observedAt())
                .and("pause", view.pause(), pause -> pause(pause))
                .and("explanation", view.explanation());
    }

    /** Whether {@code run} works under {@code lease}, and the lease was not taken away. */
    static boolean isUnder(LeaseRecord lease, Run run) {
        return lease.evicted().isEmpty()
                && lease.holder().runId().filter(run.id()::equals).isPresent();
    }

    /**
     * A part of the queue of a key.
     *
     * @param lock the JSON of the key
     */
    public static Facts line(KeyLine line, Facts lock) {
        HoldEstimate estimate = line.estimate();
        List<Facts> items = new ArrayList<>();
        for (Run run : line.runs()) {
            items.add(waiter(run, line.before() + items.size() + 1, line));
        }
        return Facts.with("lock", lock)
                .and("total", line.view() == null ? 0 : line.view().waiting())
                .and("samples", estimate.samples())
                .and("usualHold", estimate.usual())
                .and("holderLeft", line.view() == null || line.view().run() == null ? null : estimate.left())
                .and("items", items);
    }

    private static Facts waiter(Run run, int place, KeyLine line) {
        Instant rests = run.status().notBefore();
        Optional<Instant> starts = line.startOf(run, place);
        return Facts.with("place", place)
                .and("id", run.id())
                .and("job", run.job())
                .and("submittedBy", run.spec().origin().submitter())
                .and("priority", run.spec().priority())
                .and("waitingSince", run.submittedAt())
                .and("attempt", run.status().attempts())
                .and("restsUntil", rests)
                .and("startsAt", starts.orElse(null))
                .and("labels", new TreeMap<>(run.spec().labels()))
                .and("reason", run.spec().origin().reason());
    }

    /** A key that only a lease is known of: of a store without runs. */
    public static Facts of(LeaseRecord lease) {
        return of(new KeyView(lease.key(), lease, null, 0, null, null, lease.observedAt()));
    }

    /** A key that is neither held nor waited for, under the first of {@code pauses} that covers it. */
    public static Facts idle(LockKey key, List<Pause> pauses, Instant now) {
        return of(KeyView.idle(key, pauses, now));
    }

    /** The holder of {@code lease}; {@code run} is the run under it, if that is known. */
    public static Facts holder(LeaseRecord lease, @Nullable Run run) {
        Run under =
                run != null && lease.holder().runId().filter(run.id()::equals).isPresent() ? run : null;
        return holder(lease.holder().runId().orElse(null), lease.holder().label(), lease.grantedAt(), under)
                .and("alive", lease.isLive());
    }

    /** A run that the key is kept for and that has no lease yet. */
    public static Facts holder(Run run) {
        Turn turn = run.status().turn();
        return holder(
                        run.id(),
                        turn == null ? null : turn.holder().label(),
                        turn == null ? run.status().since() : turn.startedAt(),
                        run)
                .and("alive", true);
    }

    /** A run of which only the id is known and, perhaps, since when it is next. */
    public static Facts holder(RunId run, @Nullable Instant since) {
        return holder(run, null, since, null).and("alive", true);
    }

    private static Facts holder(
            @Nullable RunId id, @Nullable String label, @Nullable Instant since, @Nullable Run run) {
        return Facts.none()
                .orNull("runId", id)
                .orNull("holder", label)
                .orNull("since", since)
                .orNull("stage", run == null ? null : RunFacts.stage(run))
                .and("reason", run, held -> held.spec().origin().reason());
    }

    private static Facts eviction(LeaseRecord.Eviction eviction) {
        return Facts.with("actor", eviction.actor())
                .and("reason", eviction.reason())
                .and("at", eviction.at());
    }

    /** A pause in force. */
    public static Facts pause(Pause pause) {
        return Facts.with(pause.pattern().endsWith("*") ? "pattern" : "key", pause.pattern())
                .and("paused", true)
                .and("pausedBy", pause.actor())
                .and("reason", pause.reason())
                .and("since", pause.since())
                .and("until", pause.until());
    }

    /** A lease without a run, for its holder. */
    public static Facts lease(LeaseRecord lease, Duration ttl) {
        return Facts.with("key", lease.key().name())
                .and("leaseId", lease.id())
                .and("token", lease.token().value())
                .and("expiresAt", lease.expiresAt())
                .and("observedAt", lease.observedAt())
                .and("heartbeatEvery", ttl.dividedBy(3));
    }

    /** How often starts under a key started nothing new: the minutes that had any, the oldest first. */
    public static List<Facts> refusals(List<RefusalCount> counts) {
        Map<Instant, Map<RefusalCount.Outcome, Long>> minutes = new TreeMap<>();
        for (RefusalCount count : counts) {
            minutes.computeIfAbsent(count.minute(), minute -> new EnumMap<>(RefusalCount.Outcome.class))
                    .merge(count.outcome(), count.count(), Long::sum);
        }
        return minutes.entrySet().stream()
                .map(minute -> {
                    Facts outcomes = Facts.none();
                    minute.getValue().forEach((outcome, count) -> outcomes.and(outcome.name(), count));
                    return Facts.with("minute", minute.getKey())
                            .and(
                                    "count",
                                    minute.getValue().values().stream()
                                            .mapToLong(Long::longValue)
                                            .sum())
                            .and("outcomes", outcomes);
                })
                .toList();
    }
}
