package io.interlock.spi.run.rules;

import io.interlock.ConflictPolicy;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.rules.KeyState.ChangeReason;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts, joins, queues or refuses. A refusal changes nothing. */
public final class SubmitRules {

    private final KeyState state;
    private final SubmitRequest request;
    private final Run newcomer;

    private SubmitRules(KeyState state, SubmitRequest request) {
        this.state = state;
        this.request = request;
        Waiter waiter = request.caller() == null ? null : new Waiter(state.now(), false);
        newcomer = new Run(
                request.id(),
                request.key(),
                state.context().numbers().getAsLong(),
                state.now(),
                request.spec(),
                request.line(),
                RunStatus.queued(state.now(), waiter));
    }

    /** Decides about a newcomer on a settled key. */
    public static SubmitAnswer submit(KeyState state, SubmitRequest request) {
        return new SubmitRules(state, request).decide();
    }

    /** The answer to a repeated request with the id of an existing run. */
    public static SubmitAnswer repeated(KeyState state, SubmitRequest request, Run known) {
        Run run = state.latest(known);
        if (run.state() == RunState.QUEUED) {
            return new SubmitAnswer.Queued(run, state.position(run));
        }
        if (run.state() == RunState.PENDING) {
            return new SubmitAnswer.Started(run, null);
        }
        SubmitRequest.Caller caller = request.caller();
        boolean mine = caller != null && run.state() == RunState.RUNNING && state.hasLiveLease(run, caller.lease());
        return mine ? new SubmitAnswer.Started(run, state.leaseRecord()) : new SubmitAnswer.Duplicate(run);
    }

    /** The answer to a request with a known idempotency key of the run {@code known}. */
    public static SubmitAnswer remembered(
            KeyState state, SubmitRequest.Idempotency asked, String fingerprint, Run known) {
        Run run = state.latest(known);
        return fingerprint.equals(asked.fingerprint())
                ? new SubmitAnswer.Duplicate(run)
                : new SubmitAnswer.Mismatch(run);
    }

    private SubmitAnswer decide() {
        Refusal obstacle = obstacle();
        Optional<Run> incumbent = incumbent();
        RunRefusal.WrongState wrong = QueueRules.wrongState(state, newcomer);
        Admission.Situation situation = new Admission.Situation(obstacle == null, incumbent.isPresent(), wrong == null);
        return switch (Admission.of(request.spec().policy(), situation)) {
            case START -> start();
            case JOIN -> new SubmitAnswer.Joined(incumbent.orElseThrow());
            case QUEUE -> queue(0);
            case QUEUE_INSTEAD -> supersede(false);
            case REPLACE -> supersede(true);
            case REFUSE -> new SubmitAnswer.Refused(Objects.requireNonNull(obstacle));
            case REFUSE_STATE -> new SubmitAnswer.Refused(Objects.requireNonNull(wrong));
        };
    }

    /** What prevents the newcomer from starting at once, or {@code null}. */
    private @Nullable Refusal obstacle() {
        Refusal ahead = QueueRules.ahead(state);
        if (ahead != null) {
            return ahead;
        }
        Optional<Run> owner = QueueRules.owner(state);
        if (owner.isPresent()) {
            return QueueRules.queuedAhead(state, owner.get());
        }
        return QueueRules.hasPlace(state, newcomer)
                ? joinable()
                : new RunRefusal.TenantBusy(
                        state.key(), state.tenantBusy(), request.line().tenantMaxRunning());
    }

    /** A run between two attempts does not block the key, but a newcomer with JOIN joins it. */
    private @Nullable Refusal joinable() {
        return request.spec().policy() == ConflictPolicy.JOIN
                ? incumbent().map(run -> QueueRules.queuedAhead(state, run)).orElse(null)
                : null;
    }

    /** The run a newcomer would join: the holder's, else the one with the reservation, else the first in the queue. */
    private Optional<Run> incumbent() {
        return state.holder().or(state::reserved).or(state::firstWaiting);
    }

    private SubmitAnswer start() {
        SubmitRequest.Caller caller = request.caller();
        if (caller != null && request.spec().execution() == Execution.CALLER) {
            Run started = Promotion.start(state, state.add(newcomer, RunState.QUEUED), caller);
            return new SubmitAnswer.Started(started, state.leaseRecord());
        }
        return new SubmitAnswer.Started(Promotion.reserve(state, state.add(newcomer, RunState.PENDING)), null);
    }

    private SubmitAnswer queue(int leaving) {
        int waiting = state.queueSize() - leaving;
        if (waiting >= request.line().queueCap()) {
            return new SubmitAnswer.Refused(new RunRefusal.QueueFull(
                    state.key(), waiting, request.line().queueCap()));
        }
        Run run = state.add(newcomer, RunState.QUEUED);
        return new SubmitAnswer.Queued(run, state.position(run));
    }

    private SubmitAnswer supersede(boolean stopsIncumbent) {
        List<Run> leaving = state.waitingOf(newcomer.job());
        SubmitAnswer answer = queue(leaving.size());
        if (answer instanceof SubmitAnswer.Refused) {
            return answer;
        }
        leaving.forEach(this::superseded);
        if (stopsIncumbent) {
            stopIncumbent();
        }
        // One of the removed runs may have had the reservation; then the newcomer may start now.
        return startIfNext();
    }

    private SubmitAnswer startIfNext() {
        Run run = state.run(newcomer.id()).orElseThrow();
        SubmitRequest.Caller caller = request.caller();
        Optional<Run> next = Promotion.next(state);
        if (caller != null && next.map(Run::id).equals(Optional.of(run.id()))) {
            return new SubmitAnswer.Started(Promotion.start(state, run, caller), state.leaseRecord());
        }
        Promotion.promote(state);
        Run now = state.latest(run);
        return now.state() == RunState.PENDING
                ? new SubmitAnswer.Started(now, null)
                : new SubmitAnswer.Queued(now, state.position(now));
    }

    private void stopIncumbent() {
        state.reserved().filter(run -> run.state() == RunState.PENDING).ifPresent(this::superseded);
        state.running().ifPresent(run -> {
            StopRequest stop = new StopRequest(
                    RunError.SUPERSEDED,
                    newcomer.spec().origin().submitter(),
                    "replaced by run " + newcomer.id(),
                    state.now());
            StopRules.request(
                    state, run, stop, new ChangeReason(newcomer.spec().origin().actor(), stop.reason()));
        });
    }

    private void superseded(Run run) {
        RunError error = new RunError(RunError.SUPERSEDED, "run " + newcomer.id() + " took its place");
        inheritResource(run);
        AttemptRules.abort(
                state, run, error, new ChangeReason(newcomer.spec().origin().actor(), error.message()));
    }

    // A run between two attempts owns its resource, in a state in which no run may start. The newcomer takes over its
    // place and its resource.
    private void inheritResource(Run from) {
        Resource owned = state.resource().orElse(null);
        if (owned != null
                && from.id().equals(owned.owner())
                && newcomer.spec().transition().isPresent()) {
            state.setResource(owned.ownedBy(newcomer.id()));
        }
    }

    /** What happens to a newcomer. {@link #of} is the complete decision table of the six policies. */
    enum Admission {
        /** It gets the key. */
        START,
        /** It gets the incumbent's run. */
        JOIN,
        /** It waits in the queue. */
        QUEUE,
        /** It waits in the queue and replaces the waiting runs of its job. */
        QUEUE_INSTEAD,
        /** It waits in the queue, replaces the waiting runs of its job, and the incumbent gets a stop request. */
        REPLACE,
        /** It is refused because it cannot start now. */
        REFUSE,
        /** It is refused because of the state of the resource. */
        REFUSE_STATE;

        /**
         * The situation of a newcomer.
         *
         * @param isFree whether it can start at once
         * @param hasIncumbent whether there is a run it could join
         * @param isRightState whether the job may start in the current state of the resource
         */
        record Situation(boolean isFree, boolean hasIncumbent, boolean isRightState) {}

        static Admission of(ConflictPolicy policy, Situation situation) {
            boolean waits = policy == ConflictPolicy.QUEUE || policy == ConflictPolicy.QUEUE_LATEST;
            // For a newcomer that may wait, the state is checked when its turn comes, which may be now.
            if (!situation.isRightState() && (situation.isFree() || !waits)) {
                return REFUSE_STATE;
            }
            if (situation.isFree()) {
                return START;
            }
            return switch (policy) {
                case REJECT, SKIP -> REFUSE;
                case JOIN -> situation.hasIncumbent() ? JOIN : REFUSE;
                case QUEUE -> QUEUE;
                case QUEUE_LATEST -> QUEUE_INSTEAD;
                case REPLACE -> REPLACE;
            };
        }
    }
}
