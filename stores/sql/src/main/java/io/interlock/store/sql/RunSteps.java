package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.CancelAnswer;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.run.MoveAnswer;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.StopRequest;
import io.interlock.run.TurnAnswer;
import io.interlock.run.Wait;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.HeartbeatRequest;
import io.interlock.spi.run.MoveRequest;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.DeadLetterRules;
import io.interlock.spi.run.rules.FinishRules;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.MoveRules;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.ResourceRules;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.spi.run.rules.StopRules;
import io.interlock.spi.run.rules.SubmitRules;
import io.interlock.spi.run.rules.WaitRules;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules about runs within one {@link Step}, one kind of request each. */
final class RunSteps {

    static final KeySteps.Kind<SubmitRequest, SubmitAnswer> SUBMIT =
            new KeySteps.Kind<>(request -> List.of(request.key()), RunSteps::submitNeeds, true, RunSteps::submit);
    /** The same for a look, which finds out at once whether the request was made before. */
    static final KeySteps.Kind<SubmitRequest, SubmitAnswer> SUBMIT_LOOK = new KeySteps.Kind<>(
            request -> List.of(request.key()),
            requests -> {
                Step.Needs needs = submitNeeds(requests);
                Set<RunId> ids = requests.stream().map(SubmitRequest::id).collect(Collectors.toSet());
                return new Step.Needs(ids, needs.newRuns(), needs.names(), needs.callers(), needs.front());
            },
            true,
            RunSteps::submit);

    static final KeySteps.Kind<TurnRequest, TurnAnswer> TAKE_TURN =
            new KeySteps.Kind<>(request -> List.of(request.key()), RunSteps::turnNeeds, false, RunSteps::takeTurn);
    static final KeySteps.Kind<HeartbeatRequest, HeartbeatAnswer> HEARTBEAT =
            ofKey(HeartbeatRequest::key, Step.Needs.BUSY_RUNS, false, ClaimRules::heartbeat);
    static final KeySteps.Kind<FinishRequest, FinishAnswer> FINISH = new KeySteps.Kind<>(
            request -> List.of(request.key()), requests -> Step.Needs.KEYS, false, RunSteps::finish);
    static final KeySteps.Kind<ResourceRequest, ResourceAnswer> SET_RESOURCE = new KeySteps.Kind<>(
            request -> List.of(request.key()), requests -> Step.Needs.KEYS, true, (step, request) -> {
                ResourceAnswer answer = ResourceRules.set(settled(step, request.key()), request);
                if (answer instanceof ResourceAnswer.Mismatch) {
                    step.requireFirstAttempt("which change of the resource of " + request.key() + " came first");
                }
                return answer;
            });

    private RunSteps() {}

    /** A rule about the settled key of a request. */
    private static <Q, A> KeySteps.Kind<Q, A> ofKey(
            Function<Q, LockKey> key, Step.Needs needs, boolean makesKeys, KeyRule<Q, A> rule) {
        return new KeySteps.Kind<>(
                request -> List.of(key.apply(request)), requests -> needs, makesKeys, (step, request) -> {
                    KeyState state = settled(step, key.apply(request));
                    return rule.apply(state, request);
                });
    }

    /** A rule about one key. */
    @FunctionalInterface
    private interface KeyRule<Q, A> {
        A apply(KeyState state, Q request);
    }

    /** Cancels a run whose key is known. */
    static KeySteps.Kind<CancelRequest, CancelAnswer> cancel(LockKey key) {
        return new KeySteps.Kind<>(
                request -> List.of(key),
                requests -> Step.Needs.runs(List.of(requests.get(0).run())),
                false,
                (step, request) -> {
                    Run known = step.asked(request.run());
                    if (known == null) {
                        return new CancelAnswer.Unknown();
                    }
                    CancelAnswer answer = StopRules.cancel(settled(step, key), request, known);
                    return step.transaction().mayHaveBeenDone()
                                    && answer instanceof CancelAnswer.Over over
                                    && isDoneBy(request, over.run())
                            ? new CancelAnswer.Cancelled(over.run())
                            : answer;
                });
    }

    /** Moves a run whose key is known to the front. */
    static KeySteps.Kind<MoveRequest, MoveAnswer> moveToFront(LockKey key) {
        return new KeySteps.Kind<>(
                request -> List.of(key),
                requests -> Step.Needs.runs(List.of(requests.get(0).run())),
                false,
                (step, request) -> {
                    Run known = step.asked(request.run());
                    return known == null
                            ? new MoveAnswer.Unknown()
                            : MoveRules.toFront(settled(step, key), request, known);
                });
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

    /** Redrives a dead run whose key is known. */
    static KeySteps.Kind<RedriveRequest, RedriveAnswer> redrive(LockKey key, DeadLetterTable letters) {
        return new KeySteps.Kind<>(
                request -> List.of(key),
                requests -> new Step.Needs(
                        new HashSet<>(
                                List.of(requests.get(0).dead(), requests.get(0).anew())),
                        1,
                        Set.of(),
                        false),
                true,
                (step, request) -> {
                    Run dead = step.asked(request.dead());
                    return dead == null
                            ? new RedriveAnswer.Unknown()
                            : DeadLetterRules.redrive(
                                    settled(step, key),
                                    request,
                                    dead,
                                    letters.disposition(step.transaction(), dead),
                                    step.asked(request.anew()));
                });
    }

    /** Discards a dead run whose key is known. */
    static KeySteps.Kind<DiscardRequest, DiscardAnswer> discard(LockKey key, DeadLetterTable letters) {
        return new KeySteps.Kind<>(
                request -> List.of(key),
                requests -> Step.Needs.runs(List.of(requests.get(0).dead())),
                false,
                (step, request) -> {
                    Run dead = step.asked(request.dead());
                    return dead == null
                            ? new DiscardAnswer.Unknown()
                            : DeadLetterRules.discard(
                                    settled(step, key), request, dead, letters.disposition(step.transaction(), dead));
                });
    }

    /** Explains why a run waits. */
    static KeySteps.Kind<RunId, Optional<Wait>> explain(LockKey key, List<Duration> past) {
        return new KeySteps.Kind<>(
                id -> List.of(key),
                ids -> Step.Needs.runs(ids),
                false,
                (step, id) -> WaitRules.explain(settled(step, key), id, past));
    }

    /** Lists the runs that wait for a key. */
    static final KeySteps.Kind<LockKey, List<Run>> QUEUE =
            new KeySteps.Kind<>(List::of, keys -> Step.Needs.KEYS, false, (step, key) -> {
                KeyState state = settled(step, key);
                Set<RunId> changed =
                        state.changes().runs().stream().map(Run::id).collect(Collectors.toSet());
                Stream<Run> kept = WaitingRuns.all(step.transaction(), step.runs(), key, state.now()).stream()
                        .filter(run -> !changed.contains(run.id()));
                Stream<Run> moved = state.changes().runs().stream().filter(run -> run.state() == RunState.QUEUED);
                return Stream.concat(kept, moved)
                        .sorted(QueueRules.readyFirst(state.now()))
                        .toList();
            });

    /**
     * Makes sure that the tables can keep what is compared later: states of a resource and what a request is known by.
     *
     * @throws io.interlock.InvalidSettingException if they cannot
     */
    static void requireExactTexts(SubmitRequest request) {
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

    private static KeyState state(Step step, LockKey key) {
        return Objects.requireNonNull(step.key(key), "the key is loaded").state();
    }

    private static KeyState settled(Step step, LockKey key) {
        KeyState state = state(step, key);
        Settlement.settle(state);
        return state;
    }

    private static Step.Needs submitNeeds(List<SubmitRequest> requests) {
        Set<Step.Name> names = new HashSet<>();
        requests.forEach(request -> request.known()
                .ifPresent(known -> names.add(new Step.Name(request.key().tenant(), known.key()))));
        boolean callers = requests.stream().anyMatch(request -> request.caller() != null);
        Set<RunId> ids = requests.stream()
                .filter(RunSteps::supersedes)
                .map(SubmitRequest::id)
                .collect(Collectors.toSet());
        return new Step.Needs(ids, requests.size(), names, callers, Step.Front.UNLESS_BUSY);
    }

    /** Whether a request may send away other runs. If it is made again, its own must not be among them. */
    private static boolean supersedes(SubmitRequest request) {
        return request.spec().policy().supersedes();
    }

    private static SubmitAnswer submit(Step step, SubmitRequest request) throws SQLException {
        KeyState state = settled(step, request.key());
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
        Run run = runOf(answer);
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

    private static @Nullable Run runOf(SubmitAnswer answer) {
        if (answer instanceof SubmitAnswer.Started started) {
            return started.run();
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return queued.run();
        }
        return answer instanceof SubmitAnswer.Joined joined ? joined.run() : null;
    }

    /** Whether a request may be refused, so that a look may be all it needs. */
    static boolean mayBeRefused(SubmitRequest request) {
        return request.spec().policy().yieldsToIncumbent() || request.line().queueCap() < Integer.MAX_VALUE;
    }

    private static Step.Needs turnNeeds(List<TurnRequest> requests) {
        return new Step.Needs(requests.stream().map(TurnRequest::run).collect(Collectors.toSet()), 0, Set.of(), true);
    }

    private static TurnAnswer takeTurn(Step step, TurnRequest request) {
        KeyState state = state(step, request.key());
        if (step.begins(request.key())) {
            ClaimRules.noteAlive(state, step.askedOf(request.key()));
        }
        Settlement.settle(state);
        return ClaimRules.takeTurn(state, request, step.asked(request.run()));
    }

    private static FinishAnswer finish(Step step, FinishRequest request) throws SQLException {
        KeyState state = settled(step, request.key());
        Run busy = state.before().busy().stream()
                .filter(run -> run.id().equals(request.run()))
                .findFirst()
                .orElse(null);
        return FinishRules.finish(state, request, busy != null ? busy : step.find(request.run()));
    }
}
