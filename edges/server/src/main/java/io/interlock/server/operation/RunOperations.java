package io.interlock.server.operation;

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
import io.interlock.service.FilteredPage;
import io.interlock.service.RunFacts;
import io.interlock.service.RunPages;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** The operations about runs; itself {@code getRun}, {@code listRuns}, {@code cancelRun}, {@code moveToFront}, {@code redriveRun} and {@code discardRun}. */
public final class RunOperations {

    /** When to ask again about a run that waits. A caller that is silent for 15 s leaves the queue. */
    static final Duration ASK_AGAIN = Duration.ofSeconds(5);

    private static final String CURSOR = "runs";

    /** What a caller asks for that does not ask for failed runs. */
    private static final RunQuery.Failure ANY = new RunQuery.Failure(null, null, false);

    private final OperationContext context;
    private final RunLookups lookups;

    private RunOperations(OperationContext context, RunLookups lookups) {
        this.context = context;
        this.lookups = lookups;
    }

    public static void addTo(Operations operations, OperationContext context, RunLookups lookups) {
        StartOperation start = new StartOperation(context, lookups);
        WorkOperations work = new WorkOperations(context, lookups);
        RunOperations runs = new RunOperations(context, lookups);
        operations
                .on("startRun", start::start)
                .on("rerunRun", start::again)
                .on("getRun", runs::get)
                .on("listRuns", context.listing(runs::list))
                .on("heartbeat", work::heartbeat)
                .on("finishRun", work::finish)
                .on("takeTurn", work::takeTurn)
                .on("claimWork", work::claim)
                .on("cancelRun", context.blocking(runs::cancel))
                .on("moveToFront", context.blocking(runs::moveToFront))
                .on("redriveRun", context.blocking(runs::redrive))
                .on("discardRun", context.blocking(runs::discard));
    }

    private Reply cancel(Call call) {
        RunId id = RunLookups.id(call);
        lookups.require(call, id);
        CancelAnswer answer = context.engine().cancel(id, call.actor(), reason(call));
        if (answer instanceof CancelAnswer.Over over) {
            throw finished(over.run());
        }
        if (answer instanceof CancelAnswer.Unknown) {
            throw RunLookups.unknown(id.toString());
        }
        Run run = answer instanceof CancelAnswer.Cancelled cancelled
                ? cancelled.run()
                : ((CancelAnswer.StopRequested) answer).run();
        return waiting(run, RunFacts.of(run));
    }

    /** A run that has its key already is before all that wait for it. */
    private Reply moveToFront(Call call) {
        RunId id = RunLookups.id(call);
        lookups.require(call, id);
        MoveAnswer answer = context.engine().moveToFront(id, call.actor(), reason(call));
        if (answer instanceof MoveAnswer.Unknown) {
            throw RunLookups.unknown(id.toString());
        }
        Run run = answer instanceof MoveAnswer.Moved moved ? moved.run() : ((MoveAnswer.NotWaiting) answer).run();
        if (run.state().isTerminal()) {
            throw finished(run);
        }
        return Reply.ok(context.service().run(run, false));
    }

    private Reply redrive(Call call) {
        RunId id = RunLookups.id(call);
        lookups.require(call, id);
        RedriveAnswer answer = context.engine().deadLetters().redrive(id, call.actor(), reason(call));
        if (answer instanceof RedriveAnswer.Redriven redriven) {
            return waiting(redriven.run(), RunFacts.of(redriven.run()));
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
        throw RunLookups.unknown(id.toString());
    }

    private Reply discard(Call call) {
        RunId id = RunLookups.id(call);
        lookups.require(call, id);
        DiscardAnswer answer = context.engine().deadLetters().discard(id, call.actor(), reason(call));
        if (answer instanceof DiscardAnswer.Settled settled) {
            return Reply.ok(RunFacts.of(settled.letter().run()));
        }
        if (answer instanceof DiscardAnswer.NotDead alive) {
            throw notDead(alive.run(), "is " + alive.run().state());
        }
        throw RunLookups.unknown(id.toString());
    }

    private static RuntimeException settled(DeadLetter letter) {
        return letter.settled()
                .map(done -> notDead(letter.run(), "was " + done.kind() + " by " + done.actor())
                        .with("settled", done.kind().name()))
                .orElseGet(() -> notDead(letter.run(), "is settled"));
    }

    private static Problem notDead(Run run, String why) {
        return Problem.of(ProblemCode.NOT_DEAD, "Run " + run.id() + " " + why + ".")
                .with("state", run.state().name());
    }

    private static String reason(Call call) {
        return call.body().getString("reason", "no reason given");
    }

    static String location(Run run) {
        return "/api/v1/runs/" + run.id();
    }

    /** The answer about a run that has not ended. */
    static Reply waiting(Run run, Facts json) {
        return Reply.accepted(json).header("Location", location(run)).retryAfter(ASK_AGAIN);
    }

    static RuntimeException finished(Run run) {
        return Problem.of(ProblemCode.RUN_FINISHED, "Run " + run.id() + " ended as " + run.state() + ".")
                .with("state", run.state().name())
                .with("endedAt", TimeText.format(run.status().since()));
    }

    private CompletionStage<Reply> get(Call call) {
        RunId id = RunLookups.id(call);
        if (call.patience().isZero()) {
            return context.blocking(call, () -> Reply.ok(detail(call, lookups.require(call, id))));
        }
        // The owner comes first: a caller must not learn how long a foreign run takes.
        return lookups.facts(call)
                .thenCompose(facts ->
                        context.waits().until(call, context.engine().awaitEndAsync(facts.id(), call.patience())))
                .thenCompose(ended -> context.blocking(
                        call,
                        () -> Reply.ok(detail(
                                call,
                                RunLookups.owned(call, ended).orElseThrow(() -> RunLookups.unknown(id.toString()))))));
    }

    private Facts detail(Call call, Run run) {
        return context.service().run(run, call.optional("output", Boolean.class).orElse(false));
    }

    private Reply list(Call call) {
        RunQuery query = query(call);
        String key = call.optional("key", String.class).orElse("");
        RunPages.Also also = new RunPages.Also(
                call.words("state").stream().map(RunState::valueOf).collect(Collectors.toSet()),
                key.endsWith("*") ? key.substring(0, key.length() - 1) : "",
                call.optional("holder", String.class).orElse(null));
        FilteredPage<Run> page = new RunPages(context.engine()).page(query, also);
        return Reply.ok(Facts.with("items", context.service().runs(call.tenant(), page.items()))
                .and("cursor", page.last(), last -> Cursor.of(CURSOR, last.number())));
    }

    /** The part of the request that the store looks for. */
    private RunQuery query(Call call) {
        Instant now = context.environment().clock().instant();
        RunQuery.Failure failure = new RunQuery.Failure(
                call.moment("failedSince", now).orElse(null),
                call.optional("error", String.class).orElse(null),
                call.optional("unsettled", Boolean.class).orElse(false));
        RunQuery query = RunQuery.ofTenant(call.tenant())
                .page(Cursor.number(call, CURSOR), call.limit())
                .newestFirst();
        query = call.optional("job", String.class)
                .map(JobName::new)
                .map(query::doing)
                .orElse(query);
        query = call.keyParameter("key")
                .filter(key -> !key.name().endsWith("*"))
                .map(query::of)
                .orElse(query);
        query = label(call).map(query::with).orElse(query);
        query = call.since(now).map(query::since).orElse(query);
        query = call.moment("until", now).map(query::until).orElse(query);
        return failure.equals(ANY) ? query : query.failing(failure);
    }

    /** The label that a call names, if it names one. */
    public static Optional<RunQuery.Label> label(Call call) {
        return call.optional("label", String.class).map(label -> {
            int equals = label.indexOf('=');
            return new RunQuery.Label(label.substring(0, equals), label.substring(equals + 1));
        });
    }
}
