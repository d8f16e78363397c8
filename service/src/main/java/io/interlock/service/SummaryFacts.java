package io.interlock.service;

import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyStatus;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.Summary;
import io.interlock.run.Summary.RunCount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The JSON of what goes on in a tenant, and of what of it needs attention: equal things as one entry. */
final class SummaryFacts {

    /** How many runs wait for a key that needs attention for it. */
    private static final int HOT = 10;

    private static final String SHUTDOWN = "SHUTDOWN";
    private static final Set<String> LOST =
            Set.of(RunError.WORKER_TIMEOUT, RunError.LOCK_STATE_LOST, RunError.OVERLAPPING_GRANTS, "LEASE_LOST");

    private final Summary summary;
    private final List<RunCount> unserved;
    private final List<Pause> pauses;

    /** Those of {@code summary}; {@code served} are the jobs that live workers do. */
    SummaryFacts(Summary summary, Set<JobName> served, List<Pause> pauses) {
        this.summary = summary;
        this.pauses = pauses;
        unserved = summary.runs().stream()
                .filter(count -> count.state() == RunState.PENDING && !served.contains(count.job()))
                .toList();
    }

    Facts json() {
        Facts locks = Facts.none();
        for (KeyStatus state : KeyStatus.values()) {
            if (state != KeyStatus.FREE) {
                locks.and(state.name(), summary.locks(state));
            }
        }
        return Facts.with("at", summary.at())
                .and("locks", locks)
                .and(
                        "runs",
                        Facts.with("QUEUED", summary.runs(RunState.QUEUED))
                                .and("PENDING", summary.runs(RunState.PENDING))
                                .and("RUNNING", summary.runs(RunState.RUNNING)))
                .and("deadLetters", summary.runs(RunState.DEAD))
                .and("failuresSince", summary.failuresSince())
                .and("failed", summary.failed())
                .and(
                        "failures",
                        summary.failures().stream().map(SummaryFacts::failures).toList())
                .and("longestWait", summary.longestWait(), this::longestWait)
                .and("hotKeys", summary.hot().stream().map(LockFacts::of).toList())
                .and("overdue", summary.overdue().stream().map(LockFacts::of).toList())
                .and(
                        "unserved",
                        unserved.stream()
                                .map(count -> Facts.with("job", count.job())
                                        .and("count", count.count())
                                        .and("since", count.oldest()))
                                .toList())
                .and("pauses", pauses.stream().map(LockFacts::pause).toList())
                .and("attention", attention());
    }

    private static Facts failures(Summary.Failures group) {
        return Facts.with("job", group.job())
                .and("outcome", group.state())
                .and("code", group.code())
                .and("count", group.count())
                .and("lastAt", group.last())
                .and("run", group.sample())
                .and("key", group.key().name());
    }

    private Facts longestWait(KeyView key) {
        Run next = summary.next();
        return Facts.with("since", key.waitingSince())
                .and("lock", LockFacts.of(key))
                .and(
                        "next",
                        next,
                        run -> Facts.with("id", run.id())
                                .and("job", run.job())
                                .and("submittedBy", run.spec().origin().submitter()));
    }

    /** What needs attention, the most urgent first. */
    private List<Facts> attention() {
        List<Facts> all = new ArrayList<>();
        summary.failures().stream()
                .filter(group -> LOST.contains(group.code()))
                .forEach(group -> all.add(failed("LOST", group)));
        if (summary.locks(KeyStatus.OVERDUE) > 0) {
            KeyView first =
                    summary.overdue().isEmpty() ? null : summary.overdue().get(0);
            all.add(entry("OVERDUE", summary.locks(KeyStatus.OVERDUE), first == null ? null : since(first))
                    .and("key", first, view -> view.key().name())
                    .and("sentence", first, KeyView::explanation));
        }
        summary.hot().stream()
                .filter(view -> view.waiting() >= HOT)
                .forEach(view -> all.add(entry("HOT", view.waiting(), view.waitingSince())
                        .and("key", view.key().name())
                        .and("sentence", view.explanation())));
        unserved.forEach(count -> all.add(entry("NO_WORKER", count.count(), count.oldest())
                .and("job", count.job())
                .and("sentence", "no live worker does job " + count.job())));
        summary.failures().stream()
                .filter(group -> group.state() == RunState.FAILED || group.state() == RunState.TIMED_OUT)
                .filter(group -> !LOST.contains(group.code()) && !group.code().equals(SHUTDOWN))
                .forEach(group -> all.add(failed("FAILED", group)));
        summary.failures().stream()
                .filter(group -> group.code().equals(SHUTDOWN))
                .forEach(group -> all.add(failed("RESTARTED", group)));
        summary.runs().stream()
                .filter(count -> count.state() == RunState.DEAD)
                .forEach(count ->
                        all.add(entry("DEAD", count.count(), count.oldest()).and("job", count.job())));
        pauses.forEach(pause -> all.add(entry("PAUSED", 1, pause.since())
                .and("key", pause.pattern())
                .and("sentence", "paused by " + pause.actor() + ": " + pause.reason())));
        return all;
    }

    private static @Nullable Instant since(KeyView view) {
        return view.lease() == null ? null : view.lease().grantedAt();
    }

    private static Facts failed(String kind, Summary.Failures group) {
        return entry(kind, group.count(), null)
                .and("job", group.job())
                .and("code", group.code())
                .and("outcome", group.state())
                .and("lastAt", group.last())
                .and("run", group.sample())
                .and("key", group.key().name());
    }

    private static Facts entry(String kind, long count, @Nullable Instant since) {
        return Facts.with("kind", kind).and("count", count).and("since", since);
    }
}
