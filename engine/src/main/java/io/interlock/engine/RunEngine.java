package io.interlock.engine;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.Jobs.UnknownJobException;
import io.interlock.engine.Submission.IdempotencyMismatchException;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.run.Wait;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call that starts, joins, queues or refuses; workers that do the work, and stop when they must; a janitor that gives its
 * reasons. One execution per key runs at a time, whichever engine of one store it was submitted to.
 *
 * <p>A process that was paused can wake up after its lease ended. Losing a lease stops the work, and a late result is refused;
 * but only a resource that checks the {@linkplain RunContext#token() token} is safe from a write on its way.
 *
 * <p>An actor who is only a name is one in this process.
 *
 * <p>All methods are safe for use by many threads, and throw {@link StoreUnavailableException} when the store does not answer
 * clearly: then nothing counts as granted.
 */
public interface RunEngine extends WorkerEngine {

    /** An engine for {@code jobs} on {@code store}, with defaults. */
    static RunEngine on(RunStore store, Jobs jobs) {
        return builder(store).jobs(jobs).build();
    }

    /** Sets up an engine on {@code store}. */
    static EngineBuilder builder(RunStore store) {
        return new EngineBuilder(store);
    }

    /**
     * Sets up an engine on the store at {@code url}. Closing the engine closes the store.
     *
     * @throws InvalidSettingException if that store keeps leases only
     */
    static EngineBuilder builder(String url) {
        return EngineBuilder.of(url);
    }

    /**
     * Starts, joins, queues or refuses, in one atomic step.
     *
     * @throws UnknownJobException if a worker is to do the work of a job that is not defined
     * @throws TenantLimitException if the tenant has too many open runs
     * @throws IdempotencyMismatchException if something else was asked for before under the same idempotency key
     * @throws InvalidSettingException if a part of the request is out of its limits
     * @throws StoreUnavailableException if the store did not answer; asking again with an idempotency key is safe
     */
    Submission submit(RunRequest request);

    /**
     * Like {@link #submit}, without waiting. Cancelling the future of the stage ends asking again on a conflict. What the store grants
     * all the same at that moment is cancelled, unless others may have been told of it: by an idempotency key, or as theirs to join.
     */
    CompletionStage<Submission> submitAsync(RunRequest request);

    /** Ends a run that has not started, or asks one that has to stop. */
    CancelAnswer cancel(RunId run, Actor actor, String reason);

    default CancelAnswer cancel(RunId run, String actor, String reason) {
        return cancel(run, Actor.of(actor), reason);
    }

    /** Moves a waiting run before all others that wait for its key and are ready. */
    MoveAnswer moveToFront(RunId run, Actor actor, String reason);

    /**
     * Takes a lease away by force, if it still has the token the actor saw. The run under it ends at once; the key opens when
     * its work confirms that it stopped, or at the lease's old end.
     */
    EvictAnswer evict(LockKey key, FencingToken expected, Actor actor, String reason);

    default EvictAnswer evict(LockKey key, FencingToken expected, String actor, String reason) {
        return evict(key, expected, Actor.of(actor), reason);
    }

    /**
     * Stops grants under some keys of a tenant. Leases held already go on.
     *
     * @param pattern the name of one key, or the beginning of names and a {@code *}
     * @param time how long, or {@code null} until it is resumed
     */
    Pause pause(String tenant, String pattern, Actor actor, String reason, @Nullable Duration time);

    default Pause pause(String tenant, String pattern, String actor, String reason, @Nullable Duration time) {
        return pause(tenant, pattern, Actor.of(actor), reason, time);
    }

    /** Ends a pause; whether there was one. */
    boolean resume(String tenant, String pattern, Actor actor, String reason);

    default boolean resume(String tenant, String pattern, String actor, String reason) {
        return resume(tenant, pattern, Actor.of(actor), reason);
    }

    /** What this engine starts by the clock. */
    List<ScheduledJob> schedules();

    Optional<Run> find(RunId run);

    /** Runs in the order in which they were submitted, a page at a time. */
    RunPage list(RunQuery query);

    /** Who waits for the key, in the order in which they would have their turn now. */
    List<Run> queue(LockKey key);

    /** Why a run waits in the queue; empty if it does not, or if there is no such run. */
    Optional<Wait> explain(RunId run);

    /** The attempts of a run that are over, the first one first. */
    List<Attempt> attempts(RunId run);

    /** What a guarded key stands for; empty if it was never set. */
    Optional<Resource> resource(LockKey key);

    /**
     * Sets the state of a resource, to create or to mend one; never while a run moves it.
     *
     * @param expectedVersion the version the actor saw, or 0 if there was none
     */
    ResourceAnswer setResource(
            LockKey key, String kind, String state, long expectedVersion, Actor actor, String reason);

    default ResourceAnswer setResource(
            LockKey key, String kind, String state, long expectedVersion, String actor, String reason) {
        return setResource(key, kind, state, expectedVersion, Actor.of(actor), reason);
    }

    /** Like {@link #setResource(LockKey, String, String, long, Actor, String)}, and refused while the key is held or kept for a run: for people who mend or adopt a resource. */
    ResourceAnswer setFreeResource(
            LockKey key, String kind, String state, long expectedVersion, Actor actor, String reason);

    /** All that was done under the key, in order. */
    List<AuditRecord> audit(LockKey key);

    /**
     * Waits until a run has ended, or {@code maxWait} is over.
     *
     * @return the run as it stands then; empty if there is none called so
     */
    Optional<Run> awaitEnd(RunId run, Duration maxWait) throws InterruptedException;

    /** Like {@link #awaitEnd}, without a thread. Cancelling the future of the stage ends the wait. */
    CompletionStage<Optional<Run>> awaitEndAsync(RunId run, Duration maxWait);

    DeadLetterBox deadLetters();

    EngineQueries queries();

    RemoteWork remote();

    RemoteLeases leases();

    Janitor janitor();

    StoreCapabilities capabilities();

    /**
     * Takes no more work, and ends all waits. Work under way goes on, with its heartbeats, up to the drain time, and may still
     * submit other runs and {@linkplain #awaitEnd wait} for them on its thread; then it is told to stop, and the leases of what has
     * not stopped after its grace are left to expire: nothing is released under work that may still run. An interrupt ends the waiting, not the closing. May be called twice.
     */
    @Override
    void close();

    /** Runs whose attempts are used up, and what is done about them. Safe for use by many threads. */
    interface DeadLetterBox {

        /** Dead letters in the order in which their runs were submitted. */
        List<DeadLetter> list(DeadLetterQuery query);

        /** Lets a new run do the work of a dead one, with all its attempts anew. It waits in the queue if the key is taken. */
        RedriveAnswer redrive(RunId dead, Actor actor, String reason);

        default RedriveAnswer redrive(RunId dead, String actor, String reason) {
            return redrive(dead, Actor.of(actor), reason);
        }

        /** Discards a dead run: its work is not done any more. */
        DiscardAnswer discard(RunId dead, Actor actor, String reason);

        default DiscardAnswer discard(RunId dead, String actor, String reason) {
            return discard(dead, Actor.of(actor), reason);
        }
    }
}
