package io.interlock.service;

import io.interlock.ConflictPolicy;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.JobName;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Execution;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The operations about runs. All block. Safe for use by many threads. */
public final class RunService {

    /** The job of runs whose caller does the work and names none. */
    public static final String CALLERS_JOB = "caller";

    private static final String RUNS = "runs";

    /** How many runs are looked at for one page, if few of them match. */
    private static final int MOST_LOOKED_AT = 1_000;

    private static final int CHUNK = 200;

    /** What a caller asks for that does not ask for failed runs. */
    private static final RunQuery.Failure ANY = new RunQuery.Failure(null, null, false);

    private final RunEngine engine;
    private final InstantSource clock;
    private final Function<String, Object> foreign;
    private final Function<Object, String> text;

    RunService(RunEngine engine, InstantSource clock, Function<String, Object> foreign, Function<Object, String> text) {
        this.engine = engine;
        this.clock = clock;
        this.foreign = foreign;
        this.text = text;
    }

    /** The id of a run that {@code text} is, if it is one. */
    public static Optional<RunId> id(String text) {
        try {
            return Optional.of(RunId.parse(text));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    /** The run that the request names by its {@code id}, if it is the tenant's. */
    public Run require(Request request) {
        String text = request.required("id");
        return id(text).flatMap(engine::find)
                .filter(run -> run.key().tenant().equals(request.tenant()))
                .orElseThrow(() -> unknown(text));
    }

    private static Problem unknown(Object id) {
        return Problem.notFound("run", id.toString());
    }

    /** {@code listRuns}: the newest first. */
    public Facts list(Request request) {
        Request.Keys keys = request.keysAsked();
        Set<RunState> states = request.words("state", RunState::valueOf);
        Optional<String> holder = request.asked("holder");
        RunQuery query = query(request, keys);
        // A caller that looks for few among many has many looked at at a time.
        boolean picks = !keys.prefix().isEmpty() || holder.isPresent();
        int chunk = picks ? Math.max(query.limit(), CHUNK) : query.limit();
        FilteredPage<Run> page = FilteredPage.of(
                last -> runs(query.page(last == null ? query.after() : last.number(), chunk), states),
                run -> run.key().name().startsWith(keys.prefix())
                        && holder.filter(name -> !isHeldBy(run, name)).isEmpty(),
                query.limit(),
                MOST_LOOKED_AT);
        Map<RunId, DeadLetter.Disposition> done = settlements(request.tenant(), page.items());
        return Facts.with(
                        "items",
                        page.items().stream()
                                .map(run -> settled(RunFacts.of(run), done.get(run.id())))
                                .toList())
                .and("cursor", page.last(), last -> Request.cursorOf(RUNS, last.number()));
    }

    private static boolean isHeldBy(Run run, String holder) {
        return run.status()
                .lastTurn()
                .filter(turn -> turn.holder().label().equals(holder))
                .isPresent();
    }

    /**
     * A page of runs in any of {@code states}, or in all if there are none. Each state is asked for by itself, because the store finds the runs
     * of one without a look at all others. A run that goes on to its next state meanwhile is in two of the lists, and counts once.
     */
    private FilteredPage.Part<Run> runs(RunQuery query, Set<RunState> states) {
        List<RunQuery> asked = states.isEmpty()
                ? List.of(query)
                : states.stream().map(query::in).toList();
        Map<Long, Run> found = new TreeMap<>(Comparator.reverseOrder());
        boolean more = false;
        for (RunQuery each : asked) {
            RunPage page = engine.list(each);
            page.runs().forEach(run -> found.put(run.number(), run));
            more |= page.more();
        }
        List<Run> first = found.values().stream().limit(query.limit()).toList();
        return new FilteredPage.Part<>(first, more || found.size() > first.size());
    }

    /** The part of the request that the store looks for. */
    private RunQuery query(Request request, Request.Keys keys) {
        Instant now = clock.instant();
        RunQuery.Failure failure = new RunQuery.Failure(
                request.moment("failedSince", now).orElse(null),
                request.asked("error").orElse(null),
                request.is("unsettled"));
        RunQuery query = RunQuery.ofTenant(request.tenant())
                .page(request.cursorNumber(RUNS), request.limit())
                .newestFirst();
        query = with(query, request.asked("job").map(JobName::new), RunQuery::doing);
        query = with(query, Optional.ofNullable(keys.one()), RunQuery::of);
        query = with(query, request.label(), RunQuery::with);
        query = with(query, request.moment("since", now), RunQuery::since);
        query = with(query, request.moment("until", now), RunQuery::until);
        return failure.equals(ANY) ? query : query.failing(failure);
    }

    private static <Q, V> Q with(Q query, Optional<V> value, BiFunction<Q, V, Q> more) {
        return value.map(given -> more.apply(query, given)).orElse(query);
    }

    /** {@code getRun}: one run with its attempts, stages, parameters, lease and settlement, and its output if that is asked for. */
    public Facts get(Request request) {
        return shown(request, require(request));
    }

    /** The answer to {@code getRun} about {@code run}. */
    public Facts shown(Request request, Run run) {
        return detailed(run, request.is("output"));
    }

    private Facts detailed(Run run, boolean output) {
        Facts json = run.state() == RunState.QUEUED
                ? engine.explain(run.id())
                        .map(wait -> RunFacts.waiting(run, wait))
                        .orElseGet(() -> RunFacts.of(run))
                : RunFacts.of(run);
        if (run.state() == RunState.RUNNING) {
            LockService.view(engine, run.key())
                    .flatMap(KeyView::currentLease)
                    .filter(lease -> LockFacts.isUnder(lease, run))
                    .ifPresent(lease -> RunFacts.beating(json, lease, run));
        }
        settled(json, settlements(run.key().tenant(), List.of(run)).get(run.id()));
        SortedMap<Integer, String> outputs = output ? engine.queries().outputs(run.id()) : Collections.emptySortedMap();
        return RunFacts.detailed(json, run, engine.attempts(run.id()), outputs, foreign);
    }

    private static Facts settled(Facts json, DeadLetter.@Nullable Disposition done) {
        return done == null ? json : RunFacts.settled(json, done);
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

    /** What the body of {@code startRun} asks for. */
    public RunRequest start(Request request) {
        Facts body = request.body();
        boolean byCaller = body.shown("execution").equals("caller");
        if (body.text("job").isEmpty() && !byCaller) {
            throw Problem.invalid("/job", "is required unless execution is caller");
        }
        if (body.text("leaseId").isPresent() && !byCaller) {
            throw Problem.invalid(
                    "/leaseId", "is for execution caller only: a worker that claims the run makes its own");
        }
        Map<String, String> labels = new HashMap<>();
        body.in("labels").map().forEach((name, value) -> labels.put(name, String.valueOf(value)));
        RunRequest start = RunRequest.of(request.key(), body.text("job").orElse(CALLERS_JOB))
                .execution(byCaller ? Execution.CALLER : Execution.WORKER)
                .submitter(request.actor())
                .labels(labels);
        start = with(start, body.text("onConflict").map(ConflictPolicy::valueOf), RunRequest::onConflict);
        OptionalLong priority = body.number("priority");
        start = priority.isEmpty() ? start : start.priority(Math.toIntExact(priority.getAsLong()));
        start = with(start, request.duration("maxWait"), RunRequest::maxWait);
        start = with(start, request.duration("lease"), RunRequest::lease);
        start = with(start, request.duration("maxRuntime"), RunRequest::maxRuntime);
        start = with(start, Optional.ofNullable(body.map().get("parameters")).map(text), RunRequest::parameters);
        return explained(request, start);
    }

    /** What {@code rerunRun} asks for: the work of {@code run} once more, in the same words. */
    public static RunRequest again(Request request, Run run) {
        if (run.spec().execution() == Execution.CALLER) {
            throw Problem.invalid("path/id", "is its caller's work, which no worker can do again");
        }
        RunRequest again = RunRequest.of(run.key(), run.job())
                .onConflict(run.spec().policy())
                // One that was moved to the front had a higher one.
                .priority(Math.min(run.spec().priority(), RunSpec.MAX_PRIORITY))
                .parameters(run.spec().parameters())
                .labels(run.spec().labels())
                .lease(run.spec().terms().ttl())
                .submitter(request.actor());
        return explained(request, again);
    }

    private static RunRequest explained(Request request, RunRequest start) {
        RunRequest named = with(start, request.body().text("idempotencyKey"), RunRequest::idempotencyKey);
        return with(named, request.body().text("reason"), RunRequest::reason);
    }

    /** {@code startRun} for a worker. */
    public Facts submit(Request request) {
        return submitted(engine.submit(start(request)));
    }

    /** {@code rerunRun}: submits the same once more. */
    public Facts rerun(Request request) {
        return submitted(engine.submit(again(request, require(request))));
    }

    private static Facts submitted(Submission answer) {
        if (answer instanceof Submission.Rejected rejected) {
            throw RefusalFacts.exception(rejected.refusal(), null);
        }
        return answer.run()
                .map(run -> RunFacts.of(run, answer.explanation()))
                .orElseGet(() -> Facts.with("key", answer.key().name())
                        .and("state", "SKIPPED")
                        .and("explanation", answer.explanation()))
                .and("position", answer instanceof Submission.Queued queued ? queued.position() : null);
    }

    /** {@code cancelRun}: ends a run that waits, and asks one that runs to stop. */
    public Facts cancel(Request request) {
        Run run = require(request);
        CancelAnswer answer = engine.cancel(run.id(), request.actor(), request.reason());
        if (answer instanceof CancelAnswer.Over over) {
            throw finished(over.run());
        }
        if (answer instanceof CancelAnswer.Unknown) {
            throw unknown(run.id());
        }
        return RunFacts.of(
                answer instanceof CancelAnswer.Cancelled cancelled
                        ? cancelled.run()
                        : ((CancelAnswer.StopRequested) answer).run());
    }

    /** {@code moveToFront}. A run that has its key already is before all that wait for it. */
    public Facts moveToFront(Request request) {
        Run run = require(request);
        MoveAnswer answer = engine.moveToFront(run.id(), request.actor(), request.reason());
        if (answer instanceof MoveAnswer.Unknown) {
            throw unknown(run.id());
        }
        Run moved = answer instanceof MoveAnswer.Moved done ? done.run() : ((MoveAnswer.NotWaiting) answer).run();
        if (moved.state().isTerminal()) {
            throw finished(moved);
        }
        return detailed(moved, false);
    }

    /** {@code redriveRun}: submits a new run for a dead letter. */
    public Facts redrive(Request request) {
        Run run = require(request);
        RedriveAnswer answer = engine.deadLetters().redrive(run.id(), request.actor(), request.reason());
        if (answer instanceof RedriveAnswer.Redriven redriven) {
            return RunFacts.of(redriven.run());
        }
        if (answer instanceof RedriveAnswer.Refused refused) {
            throw RefusalFacts.exception(refused.refusal(), null);
        }
        if (answer instanceof RedriveAnswer.Settled settled) {
            throw settled(settled.letter());
        }
        if (answer instanceof RedriveAnswer.CallersWork callers) {
            throw notDead(callers.run(), "is its caller's work, which no worker can do again");
        }
        throw answer instanceof RedriveAnswer.NotDead alive
                ? notDead(alive.run(), "is " + alive.run().state())
                : unknown(run.id());
    }

    /** {@code discardRun}: settles a dead letter without a new run. */
    public Facts discard(Request request) {
        Run run = require(request);
        DiscardAnswer answer = engine.deadLetters().discard(run.id(), request.actor(), request.reason());
        if (answer instanceof DiscardAnswer.Settled settled) {
            return RunFacts.of(settled.letter().run());
        }
        throw answer instanceof DiscardAnswer.NotDead alive
                ? notDead(alive.run(), "is " + alive.run().state())
                : unknown(run.id());
    }

    private static Problem settled(DeadLetter letter) {
        return letter.settled()
                .map(done -> notDead(letter.run(), "was " + done.kind() + " by " + done.actor())
                        .with("settled", done.kind().name()))
                .orElseGet(() -> notDead(letter.run(), "is settled"));
    }

    private static Problem notDead(Run run, String why) {
        return Problem.of(ProblemCode.NOT_DEAD, "Run " + run.id() + " " + why + ".")
                .with("state", run.state());
    }

    /** The refusal of what comes after the end of {@code run}. */
    public static Problem finished(Run run) {
        return Problem.of(ProblemCode.RUN_FINISHED, "Run " + run.id() + " ended as " + run.state() + ".")
                .with("state", run.state())
                .with("endedAt", TimeText.format(run.status().since()));
    }
}
