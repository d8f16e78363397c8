package io.interlock.spi.run;

import io.interlock.Actor;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunTexts;
import io.interlock.spi.Answers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The steps of callers and operators on runs, pauses and resources. See {@link RunStore} for the general rules. */
public interface RunSteps {

    /** Starts, joins, queues or refuses. */
    Answers<SubmitAnswer> submit(List<SubmitRequest> requests);

    /** Grants a waiting caller its turn, if it comes next. */
    Answers<TurnAnswer> takeTurn(List<TurnRequest> requests);

    /** Ends a run that has not started, or requests a started one to stop. */
    CancelAnswer cancel(CancelRequest request);

    /** Moves a waiting run to the front of its queue, by {@link io.interlock.spi.run.rules.MoveRules}. */
    MoveAnswer moveToFront(MoveRequest request);

    /**
     * Creates a new run for the work of a dead one, with a new set of attempts and the dead run's queue limits. It
     * waits in the queue if the key is taken, regardless of the dead run's policy, and its submitter is the actor. The
     * new run, the disposition of the letter, and an audit record {@code redriven} that names the new run are written
     * in the same step.
     *
     * @throws io.interlock.InvalidSettingException if another run has the new run's id
     */
    RedriveAnswer redrive(RedriveRequest request);

    /** Discards a dead letter; an audit record {@code discarded} is written in the same step. */
    DiscardAnswer discard(DiscardRequest request);

    /** Stops grants under some keys; from the return of this call on, nothing is granted there. */
    Pause pause(PauseRequest request);

    /**
     * Ends a pause, and lets the first run in the queue of each key start. It returns quickly for any number of keys:
     * it settles the first of them, and the following claims and sweeps settle the others page by page.
     *
     * @return whether there was such a pause that had not ended
     */
    boolean resume(ResumeRequest request);

    /** Sets the state of a resource, to create or repair it; never while a run owns it. */
    ResourceAnswer setResource(ResourceRequest request);

    /**
     * Submits a run.
     *
     * @param id the run's id, created by the client; a repeated request with it returns the existing run
     * @param idempotency identifies repeated requests, or {@code null}
     * @param caller the caller, if it executes the run; {@code null} if a worker does
     * @param line the limits of waiting and running runs
     */
    record SubmitRequest(
            RunId id,
            LockKey key,
            RunSpec spec,
            @Nullable Idempotency idempotency,
            @Nullable Caller caller,
            LineLimits line) {

        /** Checks that a caller is given exactly if the caller executes the run, and that the priority is one to submit. */
        public SubmitRequest {
            spec.submittable();
            if ((caller != null) != (spec.execution() == Execution.CALLER)) {
                throw new InvalidSettingException(
                        "execution",
                        spec.execution(),
                        caller == null ? "needs a caller" : "takes no caller",
                        "give a lease id and a holder exactly if the caller executes the run");
            }
        }

        /** A run for a worker, without further conditions. */
        public static SubmitRequest of(RunId id, LockKey key, RunSpec spec) {
            return new SubmitRequest(id, key, spec, null, null, LineLimits.NONE);
        }

        /** This request with an idempotency key. */
        public SubmitRequest knownBy(Idempotency idempotency) {
            return new SubmitRequest(id, key, spec, idempotency, caller, line);
        }

        /** This request, executed by {@code caller}. */
        public SubmitRequest by(Caller caller) {
            return new SubmitRequest(id, key, spec.execution(Execution.CALLER), idempotency, caller, line);
        }

        /** This request with other limits. */
        public SubmitRequest within(LineLimits line) {
            return new SubmitRequest(id, key, spec, idempotency, caller, line);
        }

        /** The idempotency key, if there is one. */
        public Optional<Idempotency> known() {
            return Optional.ofNullable(idempotency);
        }

        /**
         * Identifies repeated requests of a tenant.
         *
         * @param fingerprint a hash of the request, which reveals a different request with the same key
         * @param keepFor how long the key is valid
         */
        public record Idempotency(String key, String fingerprint, Duration keepFor) {

            public Idempotency {
                keepFor = RunLimits.capped(keepFor);
                RunTexts.require("idempotency key", key, "choose a unique key for the request");
                RunTexts.require("fingerprint", fingerprint, "use a hash of the request");
            }
        }

        /** A caller that executes its run itself. */
        public record Caller(LeaseId lease, Holder holder) {}
    }

    /** The answer of a store to a {@link SubmitRequest}. */
    sealed interface SubmitAnswer {

        /** The run that a request was answered with for the first time; an idempotency key stands for it from then on. */
        default Optional<Run> result() {
            if (this instanceof Started started) {
                return Optional.of(started.run());
            }
            if (this instanceof Queued queued) {
                return Optional.of(queued.run());
            }
            return this instanceof Joined joined ? Optional.of(joined.run()) : Optional.empty();
        }

        /**
         * The run has the key: reserved for a worker, or held by the caller.
         *
         * @param lease the caller's lease, or {@code null} if a worker executes the run
         */
        record Started(Run run, @Nullable LeaseRecord lease) implements SubmitAnswer {

            /** The caller's lease, if the caller executes the run. */
            public Optional<LeaseRecord> granted() {
                return Optional.ofNullable(lease);
            }
        }

        /** The request joined an existing run. */
        record Joined(Run run) implements SubmitAnswer {}

        /**
         * The run waits in the queue.
         *
         * @param position its place, from 1; 0 if its turn came at once but it could not start, as its state shows
         */
        record Queued(Run run, int position) implements SubmitAnswer {}

        /** There is no run, and nothing was written. */
        record Refused(Refusal refusal) implements SubmitAnswer {}

        /** The same request was made before. */
        record Duplicate(Run run) implements SubmitAnswer {}

        /** A different request was made before with the same idempotency key. */
        record Mismatch(Run run) implements SubmitAnswer {}
    }

    /**
     * A waiting caller requests its turn, and shows that it still waits.
     *
     * @param caller the id of its future lease, and the caller
     */
    record TurnRequest(RunId run, LockKey key, SubmitRequest.Caller caller) {}

    /** Cancels a run. */
    record CancelRequest(RunId run, Actor actor, String reason) {

        /** By one in this process. */
        public CancelRequest(RunId run, String actor, String reason) {
            this(run, Actor.of(actor), reason);
        }

        public CancelRequest {
            RunTexts.require("actor", actor.name(), "name who cancels the run");
            RunTexts.require("reason", reason, "give the reason of the cancel");
        }
    }

    /** Moves a waiting run to the front of the queue of its key. */
    record MoveRequest(RunId run, Actor actor, String reason) {

        public MoveRequest {
            RunTexts.require("actor", actor.name(), "name who moves the run");
            RunTexts.require("reason", reason, "give the reason of the move");
        }
    }

    /**
     * Redrives a dead letter.
     *
     * @param anew the new run's id, created by the client; a repeated request with it returns the existing run
     */
    record RedriveRequest(RunId dead, RunId anew, Actor actor, String reason) {

        /** By one in this process. */
        public RedriveRequest(RunId dead, RunId anew, String actor, String reason) {
            this(dead, anew, Actor.of(actor), reason);
        }

        public RedriveRequest {
            RunTexts.require("actor", actor.name(), "name who redrives the run");
            RunTexts.require("reason", reason, "give the reason of the redrive");
        }
    }

    /** Discards a dead letter. */
    record DiscardRequest(RunId dead, Actor actor, String reason) {

        /** By one in this process. */
        public DiscardRequest(RunId dead, String actor, String reason) {
            this(dead, Actor.of(actor), reason);
        }

        public DiscardRequest {
            RunTexts.require("actor", actor.name(), "name who discards the run");
            RunTexts.require("reason", reason, "give the reason of the discard");
        }
    }

    /**
     * Stops grants under some keys. Existing leases continue.
     *
     * @param pattern the name of one key, or a prefix followed by {@code *}
     * @param time how long, or {@code null} until it is resumed
     */
    record PauseRequest(
            String tenant,
            String pattern,
            Actor actor,
            String reason,
            @Nullable Duration time) {

        /** By one in this process. */
        public PauseRequest(String tenant, String pattern, String actor, String reason, @Nullable Duration time) {
            this(tenant, pattern, Actor.of(actor), reason, time);
        }

        /** Checks the texts. The audit log records a pause under its pattern, which must therefore be a valid key name. */
        public PauseRequest {
            LockKey.of(tenant, Pause.requirePattern(pattern));
            time = time == null ? null : RunLimits.capped(time);
            RunTexts.require("actor", actor.name(), "name who pauses the keys");
            RunTexts.require("reason", reason, "give the reason of the pause");
        }
    }

    /** Ends a pause. */
    record ResumeRequest(String tenant, String pattern, Actor actor, String reason) {

        /** By one in this process. */
        public ResumeRequest(String tenant, String pattern, String actor, String reason) {
            this(tenant, pattern, Actor.of(actor), reason);
        }

        public ResumeRequest {
            RunTexts.require("actor", actor.name(), "name who resumes the keys");
            RunTexts.require("reason", reason, "give the reason of the resume");
        }
    }

    /**
     * Sets the state of a resource.
     *
     * @param expectedVersion the version the actor saw, or 0 if there was none
     * @param onlyIfFree whether it is refused while the key is held or reserved for a run
     */
    record ResourceRequest(
            LockKey key,
            String kind,
            String state,
            long expectedVersion,
            Actor actor,
            String reason,
            boolean onlyIfFree) {

        /** By an actor in this process, also while the key is held, unless a run owns the resource. */
        public ResourceRequest(
                LockKey key, String kind, String state, long expectedVersion, String actor, String reason) {
            this(key, kind, state, expectedVersion, Actor.of(actor), reason, false);
        }

        public ResourceRequest {
            RunTexts.require("kind", kind, "name the kind of resource");
            RunTexts.require("state", state, "name states like READY or DESTROYING");
            RunTexts.require("actor", actor.name(), "name who sets the state");
            RunTexts.require("reason", reason, "give the reason of the change");
            if (expectedVersion < 0) {
                throw new InvalidSettingException(
                        "version", expectedVersion, "is negative", "0 means that there is no such resource yet");
            }
        }
    }
}
