package io.interlock.engine;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Leases without runs, for holders in other processes that come in through this one, over HTTP for example. Nothing is renewed
 * for them: they do that themselves, with the lease id they made. No step takes a thread while it waits, and every step may be
 * repeated with the same ids after an unclear answer. Safe for use by many threads.
 */
public interface RemoteLeases {

    /**
     * Takes {@code key}, if it becomes free within {@code wait}. Cancelling the future of the stage ends the wait; a grant
     * made at that very moment ends by itself, or is found again by asking with the same lease id.
     *
     * @throws io.interlock.InvalidSettingException if the store grants no leases of that length
     */
    CompletionStage<Acquired> acquire(LockKey key, RemoteWork.Caller caller, LeaseTerms terms, Duration wait);

    /** Takes {@code key} without a lock delay. */
    default CompletionStage<Acquired> acquire(LockKey key, RemoteWork.Caller caller, Duration ttl, Duration wait) {
        return acquire(key, caller, LeaseTerms.of(ttl), wait);
    }

    /**
     * Completes when {@code key} has no live lease, or may have become free, or {@code wait} is over. Cancelling the future of the stage
     * ends the wait.
     */
    CompletionStage<Boolean> awaitFree(LockKey key, Duration wait);

    /** Extends a lease that still lives, to {@code ttl} from now. */
    CompletionStage<Renewed> renew(LockKey key, LeaseId lease, FencingToken token, Duration ttl);

    /** Says that the holder is done. In every case it no longer has the key; may be repeated. */
    CompletionStage<Released> release(LockKey key, LeaseId lease, FencingToken token);

    /** The lease of {@code key}, also one that has expired and was not cleared. */
    CompletionStage<Optional<LeaseRecord>> find(LockKey key);

    sealed interface Acquired {

        /** It is the caller's. */
        record Granted(LeaseRecord lease) implements Acquired {}

        /** The key was not free for all of the time. */
        record Refused(Refusal refusal) implements Acquired {}
    }

    sealed interface Renewed {

        record Lives(LeaseRecord lease) implements Renewed {}

        /** The lease is over, and nothing was changed. */
        record Lost(LossCause cause, @Nullable LeaseRecord current) implements Renewed {}
    }

    /**
     * What came of releasing.
     *
     * @param ended whether this ended a lease, or confirmed that the work of one that was over has stopped
     * @param successor the lease the key has now, if this ended none
     * @param lapsed why the lease was over before, or {@code null} if it was held until now
     */
    record Released(
            boolean ended,
            Optional<LeaseRecord> successor,
            @Nullable LossCause lapsed) {}
}
