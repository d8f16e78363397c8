package io.interlock.tck;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A successful or unclear call of a client. Refusals change nothing and are not recorded. */
public sealed interface Event {

    /** Its place in time among the other events. */
    Span span();

    /**
     * The place of an event among the others: of two events, one came before the other only if it ended before the
     * other
     * began.
     *
     * @param begun its first number
     * @param ended its last number
     * @param shift the offset of the store's times of this event, because the harness moved leases instead of the clock
     */
    record Span(long begun, long ended, Duration shift) {

        /** Whether this ends before {@code other} begins. */
        public boolean isBefore(Span other) {
            return ended < other.begun;
        }

        Instant normal(Instant instant) {
            return instant.plus(shift);
        }
    }

    /** Keys were granted, or an earlier grant was confirmed. */
    record Granted(Span span, AcquireRequest request, List<AcquireAnswer.Grant> grants) implements Event {}

    /** The lock library handed out a lease. */
    record Believed(Span span, LockKey key, LeaseId id, FencingToken token) implements Event {}

    /** A lease was renewed. */
    record Renewed(Span span, LeaseRecord lease) implements Event {}

    /** A lease was released, in time or late. */
    record Ended(Span span, LeaseRecord lease) implements Event {}

    /** An expired lease was deleted. */
    record Swept(Span span, LeaseRecord lease) implements Event {}

    /** A lease was evicted. */
    record Evicted(Span span, LeaseRecord victim) implements Event {}

    /**
     * A call had no clear answer; it may have taken effect.
     *
     * @param failure what was thrown instead of an answer
     */
    record Unclear(Span span, Step step, LockKey key, LeaseId id, Throwable failure) implements Event {}

    /** Which call had no clear answer. */
    enum Step {
        /** An acquire. */
        ACQUIRE,
        /** A renewal. */
        RENEW,
        /** A release. */
        RELEASE
    }
}
