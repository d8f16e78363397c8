package io.interlock.store.sql;

import io.interlock.BoundedMap;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreCapabilities;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.spi.Answers;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.DiscardRequest;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.DeadLetterRules;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.MoveRules;
import io.interlock.spi.run.rules.ResourceRules;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.spi.run.rules.StopRules;
import io.interlock.spi.run.rules.SubmitRules;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The steps of callers and operators on runs, pauses and resources: rules on keys whose rows are locked. Safe for use by many
 * threads.
 */
final class SqlRuns implements RunSteps {

    private static final KeySteps.Kind<SubmitRequest, SubmitAnswer> SUBMIT = new KeySteps.Kind<>(
            request -> List.of(request.key()), requests -> submitNeeds(requests, false), true, SqlRuns::submit);
    /** The same for a look, which finds out at once whether the request was made before. */
    private static final KeySteps.Kind<SubmitRequest, SubmitAnswer> SUBMIT_LOOK = new KeySteps.Kind<>(
            request -> List.of(request.key()), requests -> submitNeeds(requests, true), true, SqlRuns::submit);

    private static final KeySteps.Kind<TurnRequest, TurnAnswer> TAKE_TURN =
            new KeySteps.Kind<>(request -> List.of(request.key()), SqlRuns::turnNeeds, false, SqlRuns::takeTurn);
    private static final KeySteps.Kind<ResourceRequest, ResourceAnswer> SET_RESOURCE = new KeySteps.Kind<>(
            request -> List.of(request.key()), requests -> Step.Needs.KEYS, true, (step, request) -> {
                ResourceAnswer answer = ResourceRules.set(step.settled(request.key()), request);
                if (answer instanceof ResourceAnswer.Mismatch) {
                    step.requireFirstAttempt("which change of the resource of " + request.key() + " came first");
                }
                return answer;
            });

    private final Database database;
    private final Supplier<StoreCapabilities> capabilities;
    private final StoredRuns runs;
    private final KeySteps steps;
    private final PauseSteps pauses;
    private final QuickSubmits quickSubmits;
    /** Keys that refused the last submission, so that the next one looks before it locks. */
    private final Map<LockKey, Boolean> busyKeys = Collections.synchronizedMap(BoundedMap.ofLastUsed(10_000));

    SqlRuns(
            Database database,
            Supplier<StoreCapabilities> capabilities,
            StoredRuns runs,
            KeySteps steps,
            PauseSteps pauses) {
        this.database = database;
        this.capabilities = capabilities;
        this.runs = runs;
        this.steps = steps;
        this.pauses = pauses;
        quickSubmits = new QuickSubmits(database, steps);
    }

    @Override
    public Answers<SubmitAnswer> submit(List<SubmitRequest> requests) {
        requests.forEach(
                request -> request.spec().terms().within(capabilities.get().maxLease()));
        requests.forEach(SqlRuns::requireExactTexts);
        boolean alone = requests.size() == 1;
        Predicate<SubmitRequest> mayBeBusy = request -> mayBeRefused(request)
                && (database.hasOneWriter()
                        || busyKeys.get(request.key()) != null
                        || (alone && !steps.hasSeen(request.key())));
        Answers<SubmitAnswer> answers = database.together(() -> {
            List<@Nullable SubmitAnswer> quick = quickSubmits.submit(
                    requests,
                    requests.stream().filter(mayBeBusy).map(SubmitRequest::key).collect(Collectors.toSet()));
            return steps.lookFirst(requests, quick, alone, mayBeBusy, SUBMIT_LOOK, SUBMIT);
        });
        for (int i = 0; i < requests.size(); i++) {
            if (!answers.isOpen(i)) {
                LockKey key = requests.get(i).key();
                SubmitAnswer answer = answers.get(i);
                if (answer instanceof SubmitAnswer.Refused || answer instanceof SubmitAnswer.Joined) {
                    busyKeys.put(key, true);
                } else {
                    busyKeys.remove(key);
                }
            }
        }
        return answers;
    }

    @Override
    public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
        return steps.answer(Database.Lane.URGENT, requests, TAKE_TURN);
    }

    @Override
    public CancelAnswer cancel(CancelRequest request) {
        return about(request.run(), (step, state, known) -> {
                    CancelAnswer answer = StopRules.cancel(state, request, known);
                    return step.transaction().mayHaveBeenDone()
                                    && answer instanceof CancelAnswer.Over over
                                    && isDoneBy(request, over.run())
                            ? new CancelAnswer.Cancelled(over.run())
                            : answer;
                })
                .orElseGet(CancelAnswer.Unknown::new);
    }

    /** Whether a run was cancelled before it began, in the words of this request. */
    private static boolean isDoneBy(CancelRequest request, Run run) {
        StopRequest stop = new StopRequest(
                RunError.CANCELLED,
                Texts.shown(request.actor().name()),
                Texts.shown(request.reason()),
                run.status().since());
        return run.state() == RunState.ABORTED
                && run.status().stop() == null
                && stop.error().equals(run.status().error());
    }

    @Override
    public MoveAnswer moveToFront(MoveRequest request) {
        return about(request.run(), (step, state, known) -> MoveRules.toFront(state, request, known))
                .orElseGet(MoveAnswer.Unknown::new);
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        Step.Needs needs = new Step.Needs(new HashSet<>(List.of(request.dead(), request.anew())), 1, Set.of(), false);
        return about(
                        request.dead(),
                        needs,
                        true,
                        (step, state, dead) -> DeadLetterRules.redrive(
                                state,
                                request,
                                dead,
                                RunLists.disposition(step.transaction(), dead),
                                step.asked(request.anew())))
                .orElseGet(RedriveAnswer.Unknown::new);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return about(
                        request.dead(),
                        (step, state, dead) -> DeadLetterRules.discard(
                                state, request, dead, RunLists.disposition(step.transaction(), dead)))
                .orElseGet(DiscardAnswer.Unknown::new);
    }

    @FunctionalInterface
    private interface RunRule<A> {

        A apply(Step step, KeyState state, Run known) throws SQLException;
    }

    private <A> Optional<A> about(RunId id, RunRule<A> rule) {
        return about(id, Step.Needs.runs(List.of(id)), false, rule);
    }

    /** One step on the key of a run, if there is such a run. */
    private <A> Optional<A> about(RunId id, Step.Needs needs, boolean makesKey, RunRule<A> rule) {
        return database.peek(transaction -> runs.find(transaction, id))
                .map(Run::key)
                .flatMap(key -> steps.answerOne(
                        id,
                        new KeySteps.Kind<RunId, Optional<A>>(
                                any -> List.of(key), all -> needs, makesKey, (step, same) -> {
                                    Run known = step.asked(id);
                                    return known == null
                                            ? Optional.empty()
                                            : Optional.of(rule.apply(step, step.settled(key), known));
                                })));
    }

    @Override
    public Pause pause(PauseRequest request) {
        return pauses.pause(request);
    }

    @Override
    public boolean resume(ResumeRequest request) {
        return pauses.resume(request);
    }

    @Override
    public ResourceAnswer setResource(ResourceRequest request) {
        Texts.exact("kind", request.kind());
        Texts.exact("state", request.state());
        return steps.answerOne(request, SET_RESOURCE);
    }

    /**
     * Makes sure that the tables can keep what is compared later: states of a resource and what a request is known by.
     *
     * @throws io.interlock.InvalidSettingException if they cannot
     */
    private static void requireExactTexts(SubmitRequest request) {
        request.spec().transition().ifPresent(guard -> {
            Texts.exact("transition.resource", guard.resource());
            guard.from().forEach(state -> Texts.exact("transition.from", state));
            Texts.exact("transition.during", guard.during());
            Texts.exact("transition.success", guard.success());
            Texts.exact("transition.failure", guard.failure());
        });
        request.known().ifPresent(known -> {
            Texts.exact("idempotency key", known.key());
            Texts.exact("fingerprint", known.fingerprint());
        });
    }

    private static Step.Needs submitNeeds(List<SubmitRequest> requests, boolean looks) {
        Set<Step.Name> names = new HashSet<>();
        requests.forEach(request -> request.known()
                .ifPresent(known -> names.add(new Step.Name(request.key().tenant(), known.key()))));
        boolean callers = requests.stream().anyMatch(request -> request.caller() != null);
        Set<RunId> ids = requests.stream()
                .filter(request -> looks || supersedes(request))
                .map(SubmitRequest::id)
                .collect(Collectors.toSet());
        return new Step.Needs(ids, requests.size(), names, callers, Step.Front.UNLESS_BUSY);
    }

    /** Whether a request may send away other runs. If it is made again, its own must not be among them. */
    private static boolean supersedes(SubmitRequest request) {
        return request.spec().policy().supersedes();
    }

    private static SubmitAnswer submit(Step step, SubmitRequest request) throws SQLException {
        KeyState state = step.settled(request.key());
        // The primary key of the run's row tells a repeated request from a new one; the step is then repeated.
        boolean looks = step.transaction().isRepeated() || !step.transaction().writes() || supersedes(request);
        Run known = looks ? step.find(request.id()) : null;
        if (known != null) {
            return SubmitRules.repeated(state, request, known);
        }
        SubmitRequest.Idempotency asked = request.idempotency();
        Step.Name name = asked == null ? null : new Step.Name(request.key().tenant(), asked.key());
        Step.Remembered before = name == null ? null : step.remembered(name);
        if (asked != null && before != null) {
            Run mine = before.run().id().equals(request.id()) ? before.run() : step.find(request.id());
            if (mine != null) {
                return SubmitRules.repeated(state, request, mine);
            }
            return SubmitRules.remembered(state, asked, before.fingerprint(), before.run());
        }
        SubmitAnswer answer = SubmitRules.submit(state, request);
        Run run = answer.result().orElse(null);
        if (answer instanceof SubmitAnswer.Refused || answer instanceof SubmitAnswer.Joined) {
            // What stands in its way may be the run of the same request made before.
            Run mine = step.find(request.id());
            if (mine != null) {
                return SubmitRules.repeated(state, request, mine);
            }
        }
        if (asked != null && name != null && run != null) {
            step.remember(
                    name,
                    new Step.Remembered(asked.fingerprint(), run),
                    Math.addExact(step.now(), Micros.of(asked.keepFor())));
        }
        return answer;
    }

    /** Whether a request may be refused, so that a look may be all it needs. */
    private static boolean mayBeRefused(SubmitRequest request) {
        return request.spec().policy().yieldsToIncumbent() || request.line().queueCap() < Integer.MAX_VALUE;
    }

    private static Step.Needs turnNeeds(List<TurnRequest> requests) {
        return new Step.Needs(requests.stream().map(TurnRequest::run).collect(Collectors.toSet()), 0, Set.of(), true);
    }

    private static TurnAnswer takeTurn(Step step, TurnRequest request) {
        KeyState state = step.state(request.key());
        if (step.begins(request.key())) {
            ClaimRules.noteAlive(state, step.askedOf(request.key()));
        }
        Settlement.settle(state);
        return ClaimRules.takeTurn(state, request, step.asked(request.run()));
    }
}
