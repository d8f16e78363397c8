package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Release;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.time.LocalTime;
import io.interlock.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The leases this process holds, from grant to release. */
final class Leases {

    private static final Logger log = LoggerFactory.getLogger(Leases.class);

    private final LocksRuntime runtime;
    private final Map<LockKey, HeldLease> byThreads = new ConcurrentHashMap<>();

    Leases(LocksRuntime runtime) {
        this.runtime = runtime;
    }

    LocalTime time() {
        return runtime.time();
    }

    /**
     * Takes a grant in: from now on it is renewed and watched.
     *
     * @throws IllegalStateException if the locks were closed in the meantime, and nobody would renew it; it is given back
     */
    HeldLease adopt(AcquireAnswer.Granted answer, LeaseOptions options, Moment asked, long owner) {
        List<LeaseRecord> granted =
                answer.grants().stream().map(AcquireAnswer.Grant::lease).toList();
        HeldLease lease = new HeldLease(this, granted, options, asked, owner);
        lease.plan(runtime.renewer().entry(lease), runtime.watch().entry(lease));
        if (!runtime.gate().admit(lease)) {
            lease.close();
            throw LifecycleGate.closed();
        }
        if (owner != 0) {
            granted.forEach(each -> byThreads.put(each.key(), lease));
        }
        runtime.renewer().keep(lease);
        runtime.watch().watch(lease);
        answer.grants().forEach(Leases::report);
        return lease;
    }

    /** The lease of {@code key} that {@code thread} holds, as it should be in the store by now. */
    Optional<LeaseRecord> heldBy(long thread, LockKey key) {
        HeldLease lease = byThreads.get(key);
        if (lease == null || !lease.isOwnedBy(thread) || !lease.isHeld()) {
            return Optional.empty();
        }
        Duration held = Duration.ofNanos(time().elapsed(lease.askedAt()));
        Duration sinceRenewal = Duration.ofNanos(time().elapsed(lease.confirmedAt()));
        return lease.granted().stream()
                .filter(each -> each.key().equals(key))
                .findFirst()
                .map(each -> {
                    Instant now = each.grantedAt().plus(held);
                    Instant end =
                            now.minus(sinceRenewal).plus(lease.options().terms().ttl());
                    return new LeaseRecord(
                            key, each.id(), each.holder(), each.token(), each.grantedAt(), end, now, null);
                });
    }

    Release release(HeldLease lease) {
        forget(lease);
        try {
            return released(lease, runtime.batches().release(lease.releaseRequests()));
        } catch (RuntimeException failure) {
            runtime.recovery().releaseLater(lease);
            throw failure;
        } finally {
            leave(lease);
        }
    }

    CompletionStage<Release> releaseAsync(HeldLease lease) {
        forget(lease);
        CompletableFuture<Release> result = new CompletableFuture<>();
        CompletionStage<List<ReleaseAnswer>> answers;
        try {
            answers = runtime.batches().releaseAsync(lease.releaseRequests());
        } catch (RuntimeException closed) {
            answers = CompletableFuture.failedStage(closed);
        }
        answers.whenComplete((given, failure) -> {
            if (failure != null) {
                runtime.recovery().releaseLater(lease);
            }
            leave(lease);
            runtime.threads().execute(() -> Futures.settle(result, failure, () -> released(lease, given)));
        });
        return result;
    }

    /** Gives back what nobody took, in the background. */
    void giveBack(HeldLease lease) {
        lease.releaseAsync().whenComplete((release, failure) -> {
            if (failure != null) {
                log.warn("{} was granted to nobody and could not be given back yet: {}", lease, failure.toString());
            }
        });
    }

    /** Hears that {@code lease} is lost. */
    void lost(HeldLease lease, LossCause cause) {
        forget(lease);
        Duration held = Duration.ofNanos(time().elapsed(lease.askedAt()));
        // Elsewhere: a log may have to wait for whoever reads it, and nobody is to hear of a loss later for that.
        runtime.threads()
                .execute(() -> log.warn(
                        "lease of {} with token {} is lost after {}{}: {}",
                        lease.key(),
                        lease.token(),
                        DurationText.format(held),
                        lease.options()
                                .maxHold()
                                .map(limit -> " (limit " + DurationText.format(limit) + ")")
                                .orElse(""),
                        cause.explanation()));
    }

    void tell(HeldLease lease, List<Consumer<LossCause>> listeners, LossCause cause) {
        for (Consumer<LossCause> listener : listeners) {
            runtime.threads().execute(() -> listener.accept(cause));
        }
    }

    private void forget(HeldLease lease) {
        runtime.renewer().forget(lease);
        runtime.watch().forget(lease);
    }

    private void leave(HeldLease lease) {
        lease.granted().forEach(each -> byThreads.remove(each.key(), lease));
        runtime.gate().dismiss(lease);
        // Also if the store did not answer: then whoever waits here sees that for itself.
        lease.granted().forEach(each -> runtime.lines().wake(each.key()));
    }

    private static Release released(HeldLease lease, List<ReleaseAnswer> answers) {
        for (ReleaseAnswer answer : answers) {
            if (answer instanceof ReleaseAnswer.Lapsed lapsed) {
                lease.foundLost(lapsed.ended().eviction() != null ? LossCause.EVICTED : LossCause.EXPIRED);
            } else if (answer instanceof ReleaseAnswer.Gone && lease.lossCause() == null) {
                // By our own clock it was ours when we gave it back, so nobody else can have had the key before. Most
                // likely the answer to our first try was lost, and this is the answer to the second.
                log.warn("{} with token {} had been given back already, so says the store", lease.key(), lease.token());
            }
        }
        Release release = lease.lossCause() != null ? Release.WAS_LOST : Release.RELEASED;
        log.debug("{} with token {}: {}", lease.key(), lease.token(), release);
        return release;
    }

    private static void report(AcquireAnswer.Grant grant) {
        LeaseRecord lease = grant.lease();
        log.debug("{} granted to {} with token {}", lease.key(), lease.holder().label(), lease.token());
        grant.predecessor()
                .ifPresent(old -> log.warn(
                        "{} taken over with token {}: {} had it with token {} for {} and never gave it back",
                        lease.key(),
                        lease.token(),
                        old.holder().label(),
                        old.token(),
                        DurationText.format(Duration.between(old.grantedAt(), old.expiresAt()))));
    }
}
