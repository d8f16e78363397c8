package io.interlock.locks;

import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseLostException;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Main entry point of the lock library: at most one live lease per key, across threads, processes and machines, as far as the
 * store reaches.
 *
 * <pre>{@code
 * try (Lease lease = locks.acquire(key, ofSeconds(5)).orElseThrow()) {
 *     ledger.append(entry, lease.token());
 * }
 * Outcome<Report> done = locks.call(key, lease -> build());
 * }</pre>
 *
 * <p>A key that is held is an answer, a store that does not answer is a {@link StoreUnavailableException}. Leases are
 * not re-entrant: a thread that asks for a key it holds is refused at once. Those of one process that wait for one key are
 * served in the order they came; a call that only tries, without waiting, may get in between.
 *
 * <p>Safe for use by many threads; one instance per process and store is enough.
 */
public interface Locks extends AutoCloseable {

    /** Locks on {@code store}, with defaults. Closing them leaves the store open. */
    static Locks on(LeaseStore store) {
        return builder(store).build();
    }

    /** Locks on the store at {@code url}, with defaults. Closing them closes the store. */
    static Locks open(String url) {
        return builder(Stores.open(url)).closingStore().build();
    }

    /** Loads what {@link #open} needs for a store of the scheme of {@code url}, and opens nothing: for a program that must start quickly. */
    static void prepare(String url) {
        Stores.prepare(url);
    }

    /** Locks on {@code store}, to be set up. */
    static LocksBuilder builder(LeaseStore store) {
        return new LocksBuilder(store);
    }

    /** Asks for {@code key}, without waiting. */
    default Acquisition tryAcquire(LockKey key) {
        return tryAcquireAll(List.of(key), defaultOptions());
    }

    /** Asks for {@code key} on these terms, without waiting. */
    default Acquisition tryAcquire(LockKey key, LeaseOptions options) {
        return tryAcquireAll(List.of(key), options);
    }

    /** Asks for all of {@code keys} or none, without waiting. */
    Acquisition tryAcquireAll(Collection<LockKey> keys, LeaseOptions options);

    /** Asks for {@code key}, and waits up to {@code maxWait} for its turn. */
    default Acquisition acquire(LockKey key, Duration maxWait) throws InterruptedException {
        return acquireAll(List.of(key), maxWait, defaultOptions());
    }

    /** Asks for {@code key} on these terms, and waits up to {@code maxWait} for its turn. */
    default Acquisition acquire(LockKey key, Duration maxWait, LeaseOptions options) throws InterruptedException {
        return acquireAll(List.of(key), maxWait, options);
    }

    /**
     * Asks for all of {@code keys} or none, and waits up to {@code maxWait} until they are free together. It holds none of
     * them while it waits, so it cannot deadlock; for the same reason it may wait long for keys that others take
     * one by one all the time.
     *
     * @throws InterruptedException if interrupted while waiting; then nothing is held
     */
    Acquisition acquireAll(Collection<LockKey> keys, Duration maxWait, LeaseOptions options)
            throws InterruptedException;

    /** Like {@link #tryAcquireAll}, without blocking. */
    default CompletionStage<Acquisition> tryAcquireAsync(Collection<LockKey> keys, LeaseOptions options) {
        return acquireAsync(keys, Duration.ZERO, options);
    }

    /** Like {@link #acquireAll}, without blocking and without a thread that waits. Cancelling it ends the wait. */
    CompletionStage<Acquisition> acquireAsync(Collection<LockKey> keys, Duration maxWait, LeaseOptions options);

    /**
     * Runs {@code task} under {@code key}, or says that it runs already. Unless the default options say otherwise, the
     * task may take {@link LocksBuilder#DEFAULT_CALL_LIMIT}.
     *
     * <p>The task's thread is interrupted when the lease is lost, and that interrupt is cleared again when the task has
     * ended; one that was there before stays. The key is given back when the task has ended, however it did; if
     * the store does not answer then, that is logged and tried again in the background.
     *
     * @throws X what the task throws, if the lease was not lost
     * @throws LeaseLostException if the lease was lost while the task ran: what it returned does not count, and what it
     *     threw is attached as suppressed; only an {@link Error} of the task goes first, with this attached to it
     */
    <T extends @Nullable Object, X extends Exception> Outcome<T> call(LockKey key, LeaseTask<T, X> task) throws X;

    /** Like {@link #call(LockKey, LeaseTask)}, on these terms. */
    <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, LeaseOptions options, LeaseTask<T, X> task) throws X;

    /**
     * Like {@link #call(LockKey, LeaseOptions, LeaseTask)}, but waits up to {@code maxWait} for its turn.
     *
     * @throws InterruptedException if interrupted while waiting; then the task did not run
     */
    <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, Duration maxWait, LeaseOptions options, LeaseTask<T, X> task) throws X, InterruptedException;

    /** The lease of {@code key}, if there is one that has not ended. */
    Optional<LeaseRecord> find(LockKey key);

    /** Leases that have not ended. */
    LeasePage list(LeaseQuery query);

    /** Whether {@code token} is the one of the key's live lease, by the store's clock. */
    boolean validate(LockKey key, FencingToken token);

    /**
     * Takes a lease away by force, if it still has the token the actor saw. Its token counts no more from now on; the key
     * opens when the victim confirms that it stopped, or at the lease's old end.
     *
     * @throws InvalidSettingException if actor or reason is missing
     */
    EvictAnswer evict(LockKey key, FencingToken expected, String actor, String reason);

    /** What the store can do. */
    StoreCapabilities capabilities();

    /** The options used where none are given. */
    LeaseOptions defaultOptions();

    /**
     * Stops granting and ends all waits, both with an {@link IllegalStateException}, and waits up to the drain time for leases that
     * are held to be closed by their work; renewal goes on meanwhile. A lease still held then is reported lost to its work and left to expire: nothing is
     * released under work that may still run. An interrupt ends the waiting, not the closing. May be called twice.
     */
    @Override
    void close();

    /** Work that runs under a lease. */
    @FunctionalInterface
    interface LeaseTask<T extends @Nullable Object, X extends Exception> {

        /**
         * Does the work. Its thread is interrupted when the lease is lost; long loops call {@link Lease#checkpoint()}.
         *
         * @param lease the lease it runs under; closed by the caller, after this returns
         */
        T run(Lease lease) throws X;
    }
}
