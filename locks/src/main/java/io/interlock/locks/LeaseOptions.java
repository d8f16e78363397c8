package io.interlock.locks;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a lease is held. Immutable; each method returns a changed copy, and settings that depend on each other are checked
 * together.
 *
 * <pre>{@code LeaseOptions.defaults().ttl(ofSeconds(30)).maxHold(ofMinutes(5))}</pre>
 */
public final class LeaseOptions {

    private static final LeaseOptions DEFAULTS =
            new LeaseOptions(LeaseTerms.of(Duration.ofSeconds(30)), null, null, null);

    private final LeaseTerms terms;
    private final @Nullable Duration renewEvery;
    private final @Nullable Duration maxHold;
    private final @Nullable TakeoverProbe probe;

    private LeaseOptions(
            LeaseTerms terms,
            @Nullable Duration renewEvery,
            @Nullable Duration maxHold,
            @Nullable TakeoverProbe probe) {
        this.terms = terms;
        this.renewEvery = renewEvery;
        this.maxHold = maxHold;
        this.probe = probe;
        if (renewEvery != null && (renewEvery.isNegative() || renewEvery.isZero())) {
            throw new InvalidSettingException(
                    "renewEvery",
                    DurationText.format(renewEvery),
                    "must be above 0s",
                    "leave it out to renew every third of the ttl");
        }
        if (renewEvery != null && renewEvery.multipliedBy(3).compareTo(terms.ttl()) > 0) {
            throw new InvalidSettingException(
                    "renewEvery",
                    DurationText.format(renewEvery),
                    "is too seldom: ttl " + DurationText.format(terms.ttl()) + " must be at least 3 × renewEvery",
                    "raise ttl to " + DurationText.format(renewEvery.multipliedBy(3)) + " or renew more often");
        }
        if (maxHold != null && maxHold.compareTo(terms.ttl()) < 0) {
            throw new InvalidSettingException(
                    "maxHold",
                    DurationText.format(maxHold),
                    "is below ttl " + DurationText.format(terms.ttl()),
                    "lower ttl or raise maxHold");
        }
    }

    /** Thirty seconds, renewed every ten, for as long as the holder lives; no lock delay, no probe. */
    public static LeaseOptions defaults() {
        return DEFAULTS;
    }

    /** Time to live without a renewal; 2 s to the store's longest lease. */
    public LeaseOptions ttl(Duration ttl) {
        return new LeaseOptions(new LeaseTerms(ttl, terms.lockDelay()), renewEvery, maxHold, probe);
    }

    /** How often it is renewed; at most a third of the ttl, which is also the default. */
    public LeaseOptions renewEvery(Duration renewEvery) {
        return new LeaseOptions(terms, renewEvery, maxHold, probe);
    }

    /** How long it may be held at all; then it counts as lost and is renewed no more. Without it, for ever. */
    public LeaseOptions maxHold(Duration maxHold) {
        return new LeaseOptions(terms, renewEvery, maxHold, probe);
    }

    /** How long the key stays closed if the lease ends by expiry or force; 15 s for resources that check no tokens. */
    public LeaseOptions lockDelay(Duration lockDelay) {
        return new LeaseOptions(new LeaseTerms(terms.ttl(), lockDelay), renewEvery, maxHold, probe);
    }

    /** Whom to ask before a key is taken over whose last lease ended by itself. */
    public LeaseOptions takeoverProbe(TakeoverProbe probe) {
        return new LeaseOptions(terms, renewEvery, maxHold, probe);
    }

    /** Time to live and lock delay. */
    public LeaseTerms terms() {
        return terms;
    }

    /** How often it is renewed. */
    public Duration renewEvery() {
        return renewEvery != null ? renewEvery : terms.ttl().dividedBy(3);
    }

    /** How long it may be held at all, if that is limited. */
    public Optional<Duration> maxHold() {
        return Optional.ofNullable(maxHold);
    }

    /** The probe to ask before a take-over, if there is one. */
    public Optional<TakeoverProbe> takeoverProbe() {
        return Optional.ofNullable(probe);
    }

    /**
     * Asks the outside world, before a key is taken over, whether the work of a holder that vanished still runs there: the
     * warehouse job, the cloud deployment, the remote process.
     *
     * <p>It runs outside any transaction, on the thread that waits for the key. If it throws, the key stays closed.
     */
    @FunctionalInterface
    public interface TakeoverProbe {

        /** Looks after the work of {@code expired}. */
        Finding look(LeaseRecord expired) throws Exception;

        /** What the probe found. */
        sealed interface Finding {

            /** The work is over; the key may be granted. */
            record Over() implements Finding {}

            /**
             * The work still runs; the key stays closed.
             *
             * @param detail in words, for the callers that wait
             */
            record StillRunning(String detail) implements Finding {}
        }
    }
}
