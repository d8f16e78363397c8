package io.interlock.store.memory;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.LocksBuilder;
import io.interlock.time.Environment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** Mistakes in waiting and holding, each with the contract test that must notice it. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
enum LocksMutant {
    NOBODY_POLLS(
            "noWaiterIsForgottenThoughEveryWakeUpIsLost",
            builder -> builder.pollEvery(Duration.ofHours(1)).build()),

    AN_INTERRUPTED_WAITER_STAYS_IN_LINE(
            "anInterruptedWaiterLeavesTheLineAndTheNextIsServed", builder -> new WrongLocks(builder.build()) {
                @Override
                public Acquisition acquireAll(Collection<LockKey> keys, Duration maxWait, LeaseOptions options)
                        throws InterruptedException {
                    try {
                        return right.acquireAsync(keys, maxWait, options)
                                .toCompletableFuture()
                                .get();
                    } catch (ExecutionException failed) {
                        throw new IllegalStateException(failed);
                    }
                }
            }),

    A_CANCELLED_WAIT_STAYS_IN_LINE("aWaitThatIsCancelledLeavesTheLine", builder -> new WrongLocks(builder.build()) {
        @Override
        public CompletionStage<Acquisition> acquireAsync(
                Collection<LockKey> keys, Duration maxWait, LeaseOptions options) {
            return right.acquireAsync(keys, maxWait, options).thenApply(Function.identity());
        }
    }),

    WHO_WAITS_KEEPS_WHAT_IT_HAS(
            "whoWaitsForSeveralKeysHoldsNoneOfThemMeanwhile", builder -> new WrongLocks(builder.build()) {
                @Override
                public Acquisition acquireAll(Collection<LockKey> keys, Duration maxWait, LeaseOptions options)
                        throws InterruptedException {
                    Acquisition last = null;
                    for (LockKey key : keys) {
                        last = right.acquireAll(List.of(key), maxWait, options);
                    }
                    return last == null ? right.acquireAll(keys, maxWait, options) : last;
                }
            }),

    SILENCE_IS_A_GRANT(
            "anAcquireWhoseAnswerIsLostLeavesNothingThatNobodyHas", builder -> new WrongLocks(builder.build()) {
                @Override
                public Acquisition tryAcquireAll(Collection<LockKey> keys, LeaseOptions options) {
                    try {
                        return right.tryAcquireAll(keys, options);
                    } catch (StoreUnavailableException silent) {
                        return new Acquisition.Granted(imagined(right, keys));
                    }
                }
            });

    private final String noticedBy;
    private final Function<LocksBuilder, Locks> locks;

    LocksMutant(String noticedBy, Function<LocksBuilder, Locks> locks) {
        this.noticedBy = noticedBy;
        this.locks = locks;
    }

    String noticedBy() {
        return noticedBy;
    }

    Locks build(LocksBuilder builder) {
        return locks.apply(builder);
    }

    private static Lease imagined(Locks locks, Collection<LockKey> keys) {
        SortedMap<LockKey, Object> tokens = new TreeMap<>();
        keys.forEach(key -> locks.find(key).ifPresent(lease -> tokens.put(key, lease.token())));
        LeaseId id = LeaseId.random(Environment.system().random());
        return (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(),
                new Class<?>[] {Lease.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "tokens" -> tokens;
                    case "id" -> id;
                    default -> null;
                });
    }
}
