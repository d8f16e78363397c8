package io.interlock.service;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.EngineQueries;
import io.interlock.engine.Job;
import io.interlock.engine.RunEngine;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.JobName;
import io.interlock.run.KeyView;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchQuery.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.Summary.RunCount;
import io.interlock.run.WorkerNote;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The operations about what surrounds runs and locks: resources, the audit log, workers, jobs, counts, history, search. All block. Safe for use by many threads. */
public final class AdminService {

    private static final String AUDIT = "audit";

    /** How many records are looked at for one page, if few of them match. */
    private static final int MOST_LOOKED_AT = 5_000;

    /** How long a worker that is silent is still shown. */
    private static final Duration SHOWN = Duration.ofHours(1);

    /** How long a worker that is silent and idle counts as alive. */
    private static final Duration ALIVE = Duration.ofMinutes(1);

    /** How many running runs are shown with their workers. */
    private static final int RUNNING_SHOWN = 5_000;

    /** Among how many of its newest runs the last one that ended is looked for: mostly a few are enough. */
    private static final int LAST = 5;

    private final RunEngine engine;
    private final InstantSource clock;

    AdminService(RunEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** {@code getResource}: {@code key, kind, state, version, …}. */
    public Facts resource(Request request) {
        LockKey key = request.keyAsked().orElseThrow();
        return engine.resource(key)
                .map(AdminFacts::resource)
                .orElseThrow(() -> Problem.notFound("resource", key.name()));
    }

    /** {@code setResource}: sets the state of a resource whose key is free, whatever its version is. */
    public Facts setResource(Request request) {
        LockKey key = request.key();
        while (true) {
            Optional<Resource> known = engine.resource(key);
            ResourceAnswer answer = engine.setFreeResource(
                    key,
                    request.body()
                            .text("kind")
                            .orElseGet(() -> known.map(Resource::kind).orElse(kind(key))),
                    request.body().shown("state"),
                    known.map(Resource::version).orElse(0L),
                    request.actor(),
                    request.reason());
            if (answer instanceof ResourceAnswer.Changed changed) {
                return AdminFacts.resource(changed.resource());
            }
            Optional<Resource> current = ((ResourceAnswer.Mismatch) answer).current();
            if (current.map(Resource::version).equals(known.map(Resource::version))) {
                throw inUse(key, current);
            }
        }
    }

    private Problem inUse(LockKey key, Optional<Resource> resource) {
        String why = LockService.view(engine, key)
                .map(KeyView::explanation)
                .orElse("a run that waits for its next attempt moves it");
        return Problem.of(
                        ProblemCode.LOCK_HELD,
                        "The state of " + key.name() + " is set only while its key is free: " + why
                                + ". Wait for its run, cancel it, or evict its lease first.")
                .with("key", key.name())
                .with("state", resource.map(Resource::state).orElse(Resource.UNTOUCHED));
    }

    /** Of a key like {@code cluster/9}, the part before the slash. */
    private static String kind(LockKey key) {
        int slash = key.name().indexOf('/');
        return slash <= 0 ? "resource" : key.name().substring(0, slash);
    }

    /** {@code listAudit}: the newest first. */
    public Facts audit(Request request) {
        int limit = request.limit();
        Instant now = clock.instant();
        String who = request.asked("who").orElse("").toLowerCase(Locale.ROOT);
        Request.Keys keys = request.keysAsked();
        RunId run = request.asked("run")
                .map(text ->
                        RunService.id(text).orElseThrow(() -> Request.bad("run", "'" + text + "' is no id of a run")))
                .orElse(null);
        AuditQuery query = new AuditQuery(
                        request.tenant(),
                        keys.one(),
                        run,
                        request.asked("action").orElse(null),
                        request.moment("since", now).orElse(null),
                        request.cursorNumber(AUDIT),
                        // A caller that looks for few among many has many looked at at a time.
                        who.isEmpty() ? limit + 1 : RunQuery.MAX_LIMIT)
                .narrowed(new AuditQuery.Narrowing(
                        request.moment("until", now).orElse(null),
                        keys.prefix(),
                        request.asked("actor")
                                .map(actor -> AuditQuery.Actors.valueOf(actor.toUpperCase(Locale.ROOT)))
                                .orElse(null)));
        FilteredPage<AuditRecord> page = FilteredPage.of(
                last -> records(last == null ? query : query.before(last.sequence())),
                record -> record.actor().toLowerCase(Locale.ROOT).contains(who),
                limit,
                MOST_LOOKED_AT);
        return Facts.with("items", page.items().stream().map(AdminFacts::audit).toList())
                .and("cursor", page.last(), last -> Request.cursorOf(AUDIT, last.sequence()));
    }

    private FilteredPage.Part<AuditRecord> records(AuditQuery query) {
        return FilteredPage.Part.of(engine.queries().audit(query), query.limit());
    }

    /** {@code getSummary}: what goes on in {@code tenant}, all of one moment, and what of it needs attention. */
    public Facts summary(String tenant) {
        EngineQueries queries = engine.queries();
        Summary summary = queries.summary(tenant);
        Set<JobName> served = queries.workers(tenant, ALIVE, RunQuery.MAX_LIMIT).stream()
                .flatMap(worker -> worker.jobs().stream())
                .collect(Collectors.toSet());
        return new SummaryFacts(summary, served, queries.pauses(tenant)).json();
    }

    /**
     * {@code getHistory}: what became of runs over time, of one job or of all: {@code window, step, since, at, succeeded, failed, stopped,
     * holdP50?, holdP95?, items}.
     */
    public Facts history(Request request) {
        JobName job = request.asked("job").map(JobName::new).orElse(null);
        String window = request.required("window");
        return new HistoryFacts(engine.queries(), request.tenant())
                .window(
                        HistoryFacts.Window.of(window)
                                .orElseThrow(() -> Request.bad("window", "'" + window + "' is no window")),
                        job);
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

    /** {@code search}: what is called so, up to a limit of each kind: {@code runs, keys, jobs, holders, labels, more}. */
    public Facts search(Request request) {
        String text = request.required("q");
        if (text.isBlank()) {
            throw Request.bad("q", "is empty; search for a key, an id, a label, a holder or a job");
        }
        int limit = request.limit();
        SearchQuery query = new SearchQuery(request.tenant(), text, limit);
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
}
