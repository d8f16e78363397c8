package io.interlock.service;

import io.interlock.Actor;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.EngineQueries;
import io.interlock.engine.Job;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.JobName;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.run.RunSpec;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchQuery.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.Summary.RunCount;
import io.interlock.run.WorkerNote;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The operations that the server and the command line share, with their answers in JSON. All methods block. Safe for use by many threads. */
public final class EngineService {

    /** How long a worker that is silent is still shown. */
    private static final Duration SHOWN = Duration.ofHours(1);

    /** How long a worker that is silent and idle counts as alive. */
    private static final Duration ALIVE = Duration.ofMinutes(1);

    /** How many running runs are shown with their workers. */
    private static final int RUNNING_SHOWN = 5_000;

    /** Among how many of its newest runs the last one that ended is looked for: mostly a few are enough. */
    private static final int LAST = 5;

    private final RunEngine engine;
    private final Function<String, Object> foreign;

    /**
     * Asks {@code engine}.
     *
     * @param foreign what stands in answers for JSON that clients wrote
     */
    public EngineService(RunEngine engine, Function<String, Object> foreign) {
        this.engine = engine;
        this.foreign = foreign;
    }

    /** The lease, run, pause and waiters of {@code key}; empty if it has none. */
    public Optional<KeyView> view(LockKey key) {
        return view(engine, key);
    }

    /** The lease, run, pause and waiters of {@code key} on {@code engine}; empty if it has none. */
    public static Optional<KeyView> view(RunEngine engine, LockKey key) {
        // Of all names that begin with a name, it is itself the first.
        return engine.queries().keys(new KeyQuery(key.tenant(), key.name(), null, 1)).stream()
                .filter(view -> view.key().equals(key))
                .findFirst();
    }

    /** One lock, also of a key that is free. */
    public Facts lock(LockKey key) {
        return lock(key, view(key));
    }

    private Facts lock(LockKey key, Optional<KeyView> view) {
        return view.map(LockFacts::of)
                .orElseGet(() -> LockFacts.idle(
                        key,
                        engine.queries().pauses(key.tenant()),
                        engine.queries().time()));
    }

    /**
     * A page of the queue of a key, from the front: {@code lock, total, samples, usualHold?, holderLeft?, items}.
     *
     * @param cursor makes a cursor of the place where the next page begins
     */
    public Facts line(LineQuery query, Function<LineQuery.Place, String> cursor) {
        KeyLine line = engine.queries().line(query);
        return LockFacts.line(line, lock(query.key(), Optional.ofNullable(line.view())))
                .and("cursor", line.nextPlace().map(cursor).orElse(null));
    }

    /** What goes on in {@code tenant}, all of one moment, and what of it needs attention. */
    public Facts summary(String tenant) {
        EngineQueries queries = engine.queries();
        Summary summary = queries.summary(tenant);
        Set<JobName> served = queries.workers(tenant, ALIVE, RunQuery.MAX_LIMIT).stream()
                .flatMap(worker -> worker.jobs().stream())
                .collect(Collectors.toSet());
        return new SummaryFacts(summary, served, queries.pauses(tenant)).json();
    }

    /**
     * What became of the runs of {@code tenant} over time, of one job or with {@code null} of all: {@code window, step, since, at,
     * succeeded, failed, stopped, holdP50?, holdP95?, items}.
     */
    public Facts history(String tenant, @Nullable JobName job, HistoryFacts.Window window) {
        return new HistoryFacts(engine.queries(), tenant).window(window, job);
    }

    /**
     * The last {@code limit} holds of {@code key} before {@code until}: {@code key, since, until, items, unknown, pauses}.
     *
     * @param since only those that had not ended then, or {@code null} for all
     */
    public Facts holds(LockKey key, @Nullable Instant since, @Nullable Instant until, int limit) {
        Instant end = until == null ? engine.queries().time().plusMillis(1) : until;
        return new HoldHistory(engine.queries(), key, since, end, limit).json(view(key));
    }

    /**
     * The jobs of the configuration, each with its schedules in {@code tenant}, the runs it has there, and what became of them.
     *
     * @param apis the compatible API that starts a job, {@code none} if it has none
     */
    public List<Facts> jobs(String tenant, Function<JobName, String> apis) {
        return jobs(tenant, apis, engine.jobs().all());
    }

    /** The job called {@code name}, as {@link #jobs} has it; empty if the configuration has none. */
    public Optional<Facts> job(String tenant, String name, Function<JobName, String> apis) {
        List<Job> called = engine.jobs().all().stream()
                .filter(job -> job.name().value().equals(name))
                .toList();
        return called.isEmpty()
                ? Optional.empty()
                : jobs(tenant, apis, called).stream().findFirst();
    }

    private List<Facts> jobs(String tenant, Function<JobName, String> apis, Collection<Job> some) {
        EngineQueries queries = engine.queries();
        Instant now = queries.time();
        Map<JobName, Facts> weeks = new HistoryFacts(queries, tenant).weeks();
        List<RunCount> counts = queries.runCounts().stream()
                .filter(count -> count.tenant().equals(tenant))
                .toList();
        List<WorkerNote> workers = queries.workers(tenant, ALIVE, RunQuery.MAX_LIMIT);
        return some.stream()
                .map(job -> AdminFacts.job(
                                job, apis.apply(job.name()), job.work().isPresent())
                        .and("schedules", schedules(tenant, job.name(), now))
                        .and("runs", runs(counts, job.name()))
                        .and(
                                "workers",
                                workers.stream()
                                        .filter(worker -> worker.jobs().contains(job.name()))
                                        .map(worker -> worker.worker().label())
                                        .sorted()
                                        .toList())
                        .and("last", lastEnded(tenant, job.name()), RunFacts::of)
                        .and("week", weeks.get(job.name())))
                .toList();
    }

    private List<Facts> schedules(String tenant, JobName job, Instant now) {
        return engine.schedules().stream()
                .filter(each -> each.job().equals(job) && each.key().tenant().equals(tenant))
                .map(each -> AdminFacts.schedule(each, now))
                .toList();
    }

    private static Facts runs(List<RunCount> counts, JobName job) {
        Facts runs = Facts.none();
        for (RunState state : List.of(RunState.QUEUED, RunState.PENDING, RunState.RUNNING, RunState.DEAD)) {
            runs.and(
                    state.name(),
                    counts.stream()
                            .filter(count -> count.job().equals(job) && count.state() == state)
                            .mapToLong(RunCount::count)
                            .sum());
        }
        return runs;
    }

    /** The run of {@code job} that ended last, of those submitted last; {@code null} if none has ended. */
    private @Nullable Run lastEnded(String tenant, JobName job) {
        RunQuery newest = RunQuery.ofTenant(tenant).doing(job).onlyEnded().newestFirst();
        return engine.list(newest.page(0, LAST)).runs().stream()
                .max(Comparator.comparing(run -> run.status().since()))
                .orElse(null);
    }

    /** What is called like {@code text}, up to {@code limit} of each kind: {@code runs, keys, jobs, holders, labels, more}. */
    public Facts search(String tenant, String text, int limit) {
        SearchQuery query = new SearchQuery(tenant, text, limit);
        SearchResult found = engine.queries().search(query);
        List<String> jobs = engine.jobs().all().stream()
                .map(job -> job.name().value())
                .filter(query::isIn)
                .sorted()
                .toList();
        Facts groups = Facts.none();
        List<String> more = new ArrayList<>();
        group(groups, more, limit, "runs", found.runs(), RunFacts::of);
        group(groups, more, limit, "keys", found.keys(), LockFacts::of);
        group(groups, more, limit, "jobs", jobs, job -> job);
        group(groups, more, limit, "holders", found.holders(), holder -> holder);
        group(groups, more, limit, "labels", found.labels(), label -> label.getKey() + "=" + label.getValue());
        return groups.and("more", more);
    }

    private static <T> void group(
            Facts groups, List<String> more, int limit, String name, List<T> found, Function<T, Object> shown) {
        groups.and(name, found.stream().limit(limit).map(shown).toList());
        if (found.size() > limit) {
            more.add(name);
        }
    }

    /** What an eviction did: {@code releasedToken, opensAt, nextRun?}. */
    public Facts evicted(LockKey key, EvictAnswer.Evicted evicted) {
        Facts json =
                Facts.with("releasedToken", evicted.victim().token().value()).and("opensAt", evicted.opensAt());
        try {
            return json.and("nextRun", engine.queue(key).stream().findFirst().orElse(null), Run::id);
        } catch (StoreUnavailableException away) {
            // The lease is evicted in any case.
            return json;
        }
    }

    /** One run with its attempts, stages, parameters, lease and settlement, and with the output of its attempts if {@code output} is asked for. */
    public Facts run(Run run, boolean output) {
        Facts json = run.state() == RunState.QUEUED
                ? engine.explain(run.id())
                        .map(wait -> RunFacts.waiting(run, wait))
                        .orElseGet(() -> RunFacts.of(run))
                : RunFacts.of(run);
        if (run.state() == RunState.RUNNING) {
            view(run.key())
                    .flatMap(KeyView::currentLease)
                    .filter(lease -> LockFacts.isUnder(lease, run))
                    .ifPresent(lease -> RunFacts.beating(json, lease, run));
        }
        settlements(run.key().tenant(), List.of(run)).values().forEach(done -> RunFacts.settled(json, done));
        SortedMap<Integer, String> outputs = output ? engine.queries().outputs(run.id()) : Collections.emptySortedMap();
        return RunFacts.detailed(json, run, engine.attempts(run.id()), outputs, foreign);
    }

    /** A request for the work of {@code run} once more, in the same words. */
    public static RunRequest again(Run run) {
        return RunRequest.of(run.key(), run.job())
                .onConflict(run.spec().policy())
                // One that was moved to the front had a higher one.
                .priority(Math.min(run.spec().priority(), RunSpec.MAX_PRIORITY))
                .parameters(run.spec().parameters())
                .labels(run.spec().labels())
                .lease(run.spec().terms().ttl());
    }

    /** Runs of one tenant, each dead one with its settlement. */
    public List<Facts> runs(String tenant, List<Run> runs) {
        Map<RunId, DeadLetter.Disposition> done = settlements(tenant, runs);
        return runs.stream()
                .map(run -> {
                    DeadLetter.Disposition settled = done.get(run.id());
                    return settled == null ? RunFacts.of(run) : RunFacts.settled(RunFacts.of(run), settled);
                })
                .toList();
    }

    /** How each of {@code runs} was settled that is dead and was. */
    private Map<RunId, DeadLetter.Disposition> settlements(String tenant, List<Run> runs) {
        Map<RunId, DeadLetter.Disposition> done = new HashMap<>();
        if (numbersOfDead(runs).findAny().isEmpty()) {
            return done;
        }
        long after = numbersOfDead(runs).min().getAsLong() - 1;
        long last = numbersOfDead(runs).max().getAsLong();
        int limit = runs.size() == 1 ? 1 : RunQuery.MAX_LIMIT;
        while (after < last) {
            // Letters come in the order of their runs' numbers, so those of one page of runs lie together.
            List<DeadLetter> letters =
                    engine.deadLetters().list(new DeadLetterQuery(tenant, null, false, after, limit));
            letters.forEach(letter ->
                    letter.settled().ifPresent(settled -> done.put(letter.run().id(), settled)));
            after = letters.isEmpty()
                    ? last
                    : letters.get(letters.size() - 1).run().number();
        }
        return done;
    }

    private static LongStream numbersOfDead(List<Run> runs) {
        return runs.stream().filter(run -> run.state() == RunState.DEAD).mapToLong(Run::number);
    }

    /** Processes that take work of {@code tenant}, and which of its runs they have. */
    public List<Facts> workers(String tenant) {
        EngineQueries queries = engine.queries();
        List<WorkerNote> notes = queries.workers(tenant, SHOWN, RunQuery.MAX_LIMIT);
        // The clock that says when they were seen.
        Instant now = queries.time();
        Map<String, List<Run>> byWorker = running(tenant).stream()
                .filter(run -> run.status().turn() != null)
                .collect(Collectors.groupingBy(
                        run -> run.status().lastTurn().orElseThrow().holder().instance()));
        return notes.stream()
                .sorted(Comparator.comparing(note -> note.worker().instance()))
                .map(note -> worker(note, byWorker.getOrDefault(note.worker().instance(), List.of()), now))
                .toList();
    }

    /** The first running runs of {@code tenant}. */
    private List<Run> running(String tenant) {
        List<Run> all = new ArrayList<>();
        OptionalLong after = OptionalLong.of(0);
        while (after.isPresent() && all.size() < RUNNING_SHOWN) {
            RunPage page = engine.list(
                    RunQuery.ofTenant(tenant).in(RunState.RUNNING).page(after.getAsLong(), RunQuery.MAX_LIMIT));
            all.addAll(page.runs());
            after = page.cursor();
        }
        return all;
    }

    private static Facts worker(WorkerNote note, List<Run> running, Instant now) {
        // The holder of a run has its lease renewed, also if that takes so long that it asks for no other run.
        boolean alive = note.seenAt().plus(ALIVE).isAfter(now) || !running.isEmpty();
        return Facts.with("worker", note.worker().label())
                .and("remote", note.isRemote())
                .and("jobs", note.jobs().stream().sorted().toList())
                .and("slots", note.slots())
                // What it last said of itself does not hold any more once it is gone.
                .and("busy", note.isRemote() || !alive ? running.size() : note.busy())
                .and(
                        "runs",
                        running.stream()
                                .map(run -> Facts.with("id", run.id())
                                        .and("key", run.key().name())
                                        .and("job", run.job()))
                                .toList())
                .and("version", note.version())
                .and("seenAt", note.seenAt())
                .and("alive", alive);
    }

    /**
     * Sets the state of a resource whose key is free, whatever its version is.
     *
     * @param kind its kind; {@code null} for the kind it has, else the first part of the key
     * @return {@code Mismatch} if the key is in use
     */
    public ResourceAnswer setResource(LockKey key, String state, @Nullable String kind, Actor actor, String reason) {
        while (true) {
            Optional<Resource> known = engine.resource(key);
            ResourceAnswer answer = engine.setFreeResource(
                    key,
                    kind == null ? known.map(Resource::kind).orElse(kind(key)) : kind,
                    state,
                    known.map(Resource::version).orElse(0L),
                    actor,
                    reason);
            if (answer instanceof ResourceAnswer.Changed
                    || ((ResourceAnswer.Mismatch) answer)
                            .current()
                            .map(Resource::version)
                            .equals(known.map(Resource::version))) {
                return answer;
            }
        }
    }

    /** Of a key like {@code cluster/9}, the part before the slash. */
    private static String kind(LockKey key) {
        int slash = key.name().indexOf('/');
        return slash <= 0 ? "resource" : key.name().substring(0, slash);
    }
}
