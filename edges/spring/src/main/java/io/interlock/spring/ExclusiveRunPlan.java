package io.interlock.spring;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One {@link ExclusiveRun} method, its annotation read and checked. Safe for many threads. */
final class ExclusiveRunPlan {

    private final Method method;
    private final KeyExpression key;
    private final ExclusiveRun.OnConflict onConflict;
    private final boolean insideTransactions;
    private final @Nullable Duration maxWait;
    private final @Nullable Duration lease;
    private final @Nullable Duration maxRuntime;
    private volatile @Nullable LeaseOptions options;

    /**
     * Reads {@code annotation}.
     *
     * @param key its key, read
     * @param resolve replaces placeholders
     */
    ExclusiveRunPlan(
            Method method,
            ExclusiveRun annotation,
            KeyExpression key,
            UnaryOperator<String> resolve,
            boolean insideTransactions) {
        this.method = method;
        this.key = key;
        this.onConflict = annotation.onConflict();
        this.insideTransactions = insideTransactions;
        this.maxWait = duration("maxWait", resolve.apply(annotation.maxWait()));
        this.lease = duration("lease", resolve.apply(annotation.lease()));
        this.maxRuntime = duration("maxRuntime", resolve.apply(annotation.maxRuntime()));
    }

    Method method() {
        return method;
    }

    KeyExpression key() {
        return key;
    }

    LockKey key(@Nullable Object target, @Nullable Object[] arguments) {
        return key.of(target, arguments);
    }

    boolean skips() {
        return onConflict == ExclusiveRun.OnConflict.SKIP;
    }

    boolean mayBeInsideTransactions() {
        return insideTransactions;
    }

    Duration maxWait() {
        return maxWait == null ? Duration.ZERO : maxWait;
    }

    /**
     * On what terms it is run.
     *
     * @throws InvalidExclusiveRunException if they contradict each other or the limits of the store
     */
    LeaseOptions options(Locks locks) {
        LeaseOptions known = options;
        if (known == null) {
            try {
                known = lease == null ? locks.defaultOptions() : withLease(locks.defaultOptions(), lease);
                known = maxRuntime == null ? known : known.maxHold(maxRuntime);
                known.terms().within(locks.capabilities().maxLease());
            } catch (InterlockException invalid) {
                throw new InvalidExclusiveRunException(
                        method, "has terms that cannot be kept: " + invalid.getMessage(), "correct them");
            }
            options = known;
        }
        return known;
    }

    // Built anew: the renewal of the defaults belongs to their ttl.
    private static LeaseOptions withLease(LeaseOptions defaults, Duration lease) {
        LeaseOptions own =
                LeaseOptions.defaults().ttl(lease).lockDelay(defaults.terms().lockDelay());
        return defaults.maxHold().map(own::maxHold).orElse(own);
    }

    private @Nullable Duration duration(String name, String text) {
        try {
            return text.isBlank() ? null : DurationText.parse(name, text);
        } catch (InterlockException invalid) {
            throw new InvalidExclusiveRunException(
                    method, "has an invalid time: " + invalid.getMessage(), "correct it");
        }
    }
}
