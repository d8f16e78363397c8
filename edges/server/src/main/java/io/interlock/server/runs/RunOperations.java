package io.interlock.server.runs;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunQuery;
import io.interlock.server.api.Call;
import io.interlock.server.api.Call.Cursor;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.interlock.server.problem.Refusals;
import io.interlock.service.Facts;
import io.interlock.service.RunFacts;
import io.interlock.service.RunPages;
import io.vertx.core.json.JsonArray;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The operations about runs; itself {@code getRun}, {@code listRuns}, {@code cancelRun}, {@code moveToFront}, {@code redriveRun} and {@code discardRun}. */
public final class RunOperations {

    /** When to ask again about a run that waits. A caller that is silent for 15 s leaves the queue. */
    static final Duration ASK_AGAIN = Duration.ofSeconds(5);

    private static final String CURSOR = "runs";

    /** What a caller asks for that does not ask for failed runs. */
    private static final RunQuery.Failure ANY = new RunQuery.Failure(null, null, false);

    private final OperationContext context;
    private final KnownRuns known;

    private RunOperations(OperationContext context, KnownRuns known) {
        this.context = context;
        this.known = known;
    }

    public static void addTo(Operations operations, OperationContext context) {
        KnownRuns known = new KnownRuns(context);
        RunLookups views = new RunLookups(context);
        StartOperation start = new StartOperation(context, known, views);
        WorkOperations work = new WorkOperations(context, known, views);
        RunOperations runs = new RunOperations(context, known);
        operations
                .on("startRun", start::start)
                .on("rerunRun", start::again)
                .on("getRun", runs::get)
                .on("listRuns", runs::list)
                .on("heartbeat", work::heartbeat)
                .on("finishRun", work::finish)
                .on("takeTurn", work::takeTurn)
                .on("claimWork", work::claim)
                .on("cancelRun", runs::cancel)
                .on("moveToFront", runs::moveToFront)
                .on("redriveRun", runs::redrive)
                .on("discardRun", runs::discard);
    }

    private CompletionStage<Reply> cancel(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking(call, () -> {
            known.require(call, id);
            CancelAnswer answer = context.engine().cancel(id, call.actor(), reason(call));
            if (answer instanceof CancelAnswer.Over over) {
                throw finished(over.run());
            }
            if (answer instanceof CancelAnswer.Unknown) {
                throw KnownRuns.unknown(id.toString());
            }
            Run run = answer instanceof CancelAnswer.Cancelled cancelled
                    ? cancelled.run()
                    : ((CancelAnswer.StopRequested) answer).run();
            return accepted(run);
        });
    }

    /** A run that has its key already is before all that wait for it. */
    private CompletionStage<Reply> moveToFront(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking(call, () -> {
            known.require(call, id);
            MoveAnswer answer = context.engine().moveToFront(id, call.actor(), reason(call));
            if (answer instanceof MoveAnswer.Unknown) {
                throw KnownRuns.unknown(id.toString());
            }
            Run run = answer instanceof MoveAnswer.Moved moved ? moved.run() : ((MoveAnswer.NotWaiting) answer).run();
            if (run.state().isTerminal()) {
                throw finished(run);
            }
            return Reply.ok(context.service().run(run, false));
        });
    }

    private CompletionStage<Reply> redrive(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking(call, () -> {
            known.require(call, id);
            RedriveAnswer answer = context.engine().deadLetters().redrive(id, call.actor(), reason(call));
            if (answer instanceof RedriveAnswer.Redriven redriven) {
                return accepted(redriven.run());
            }
            if (answer instanceof RedriveAnswer.Refused refused) {
                throw Refusals.of(refused.refusal(), null);
            }
            if (answer instanceof RedriveAnswer.Settled settled) {
                throw settled(settled.letter());
            }
            if (answer instanceof RedriveAnswer.CallersWork callers) {
                throw notDead(callers.run(), "is its caller's work, which no worker can do again");
            }
            if (answer instanceof RedriveAnswer.NotDead alive) {
                throw notDead(alive.run(), "is " + alive.run().state());
            }
            throw KnownRuns.unknown(id.toString());
        });
    }

    private CompletionStage<Reply> discard(Call call) {
        RunId id = KnownRuns.id(call);
        return context.blocking(call, () -> {
            known.require(call, id);
            DiscardAnswer answer = context.engine().deadLetters().discard(id, call.actor(), reason(call));
            if (answer instanceof DiscardAnswer.Settled settled) {
                return Reply.ok(RunFacts.of(settled.letter().run()));
            }
            if (answer instanceof DiscardAnswer.NotDead alive) {
                throw notDead(alive.run(), "is " + alive.run().state());
            }
            throw KnownRuns.unknown(id.toString());
        });
    }

    private static Reply accepted(Run run) {
        return Reply.accepted(RunFacts.of(run))
                .header("Location", location(run))
                .retryAfter(ASK_AGAIN);
    }

    private static RuntimeException settled(DeadLetter letter) {
        return letter.settled()
                .map(done -> problem(letter.run(), "was " + done.kind() + " by " + done.actor())
                        .with("settled", done.kind().name()))
                .orElseGet(() -> problem(letter.run(), "is settled"));
    }

    private static RuntimeException notDead(Run run, String why) {
        return problem(run, why);
    }

    private static Problem problem(Run run, String why) {
        return Problem.of(ProblemCode.NOT_DEAD, "Run " + run.id() + " " + why + ".")
                .with("state", run.state().name());
    }

    private static String reason(Call call) {
        return call.body().getString("reason", "no reason given");
    }

    static String location(Run run) {
        return "/api/v1/runs/" + run.id();
    }

    /** The answer about a queued run. */
    static Reply waiting(Run run, Facts json) {
        return Reply.accepted(json).header("Location", location(run)).retryAfter(ASK_AGAIN);
    }

    static RuntimeException finished(Run run) {
        return Problem.of(ProblemCode.RUN_FINISHED, "Run " + run.id() + " ended as " + run.state() + ".")
                .with("state", run.state().name())
                .with("endedAt", TimeText.format(run.status().since()));
    }

    private CompletionStage<Reply> get(Call call) {
        RunId id = KnownRuns.id(call);
        if (call.patience().isZero()) {
            return context.blocking(call, () -> Reply.ok(detail(call, known.require(call, id))));
        }
        // The owner comes first: a caller must not learn how long a foreign run takes.
        return known.facts(call)
                .thenCompose(facts ->
                        context.waits().until(call, context.engine().awaitEndAsync(facts.id(), call.patience())))
                .thenCompose(ended -> context.blocking(
                        call,
                        () -> Reply.ok(detail(
                                call,
                                KnownRuns.owned(call, ended).orElseThrow(() -> KnownRuns.unknown(id.toString()))))));
    }

    private Facts detail(Call call, Run run) {
        return context.service().run(run, call.optional("output", Boolean.class).orElse(false));
    }

    private CompletionStage<Reply> list(Call call) {
        RunQuery query = query(call);
        String key = call.optional("key", String.class).orElse("");
        RunPages.Also also = new RunPages.Also(
                states(call),
                key.endsWith("*") ? key.substring(0, key.length() - 1) : "",
                call.optional("holder", String.class).orElse(null));
        return context.lists().call(call.tenant(), () -> {
            RunPages.Page page = new RunPages(context.engine()).page(query, also);
            Facts items = Facts.with("items", context.service().runs(call.tenant(), page.runs()));
            return Reply.ok(
                    page.after().isPresent()
                            ? items.and("cursor", Cursor.of(CURSOR, page.after().getAsLong()))
                            : items);
        });
    }

    /** The part of the request that the store looks for. */
    private RunQuery query(Call call) {
        RunQuery query = RunQuery.ofTenant(call.tenant())
                .page(Cursor.number(call, CURSOR), call.limit())
                .newestFirst();
        Optional<String> job = call.optional("job", String.class);
        if (job.isPresent()) {
            query = query.doing(new JobName(job.get()));
        }
        Optional<LockKey> key = call.keyParameter("key");
        if (key.isPresent() && !key.get().name().endsWith("*")) {
            query = query.of(key.get());
        }
        query = label(call).map(query::with).orElse(query);
        Instant now = context.environment().clock().instant();
        RunQuery asked = query;
        RunQuery begun = call.since(now).map(asked::since).orElse(asked);
        RunQuery ended = call.moment("until", now).map(begun::until).orElse(begun);
        RunQuery.Failure failure = new RunQuery.Failure(
                call.moment("failedSince", now).orElse(null),
                call.optional("error", String.class).orElse(null),
                call.optional("unsettled", Boolean.class).orElse(false));
        return failure.equals(ANY) ? ended : ended.failing(failure);
    }

    /** The label that a call names, if it names one. */
    public static Optional<RunQuery.Label> label(Call call) {
        return call.optional("label", String.class).map(label -> {
            int equals = label.indexOf('=');
            return new RunQuery.Label(label.substring(0, equals), label.substring(equals + 1));
        });
    }

    private static Set<RunState> states(Call call) {
        Set<RunState> states = EnumSet.noneOf(RunState.class);
        call.optional("state", JsonArray.class)
                .ifPresent(array -> array.forEach(state -> states.add(RunState.valueOf((String) state))));
        return states;
    }
}
