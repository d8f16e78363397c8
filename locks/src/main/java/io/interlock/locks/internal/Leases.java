package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.batch.Coalescer;
import io.interlock.locks.Lease.Release;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.internal.StoreLocks.Threads;
import io.interlock.locks.runtime.Futures;
import io.interlock.locks.runtime.HeldSet;
import io.interlock.locks.runtime.LeaseRuntime;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The leases this process holds, from grant to release. Safe for use by many threads. */
final class Leases {

    static final int MAX_BATCH = 500;

    private static final Logger log = LoggerFactory.getLogger(Leases.class);

    private final LeaseStore store;
    private final LocalTime time;
    private final Threads threads;
    private final LeaseRuntime<RenewRequest, RenewAnswer> runtime;
    private final UnclearCallRecovery recovery;
    private final Consumer<LockKey> whenReleased;
    private final Coalescer<ReleaseRequest, ReleaseAnswer> releases;
    private final HeldSet<LeaseHandle> held = new HeldSet<>();
    private final Map<LockKey, LeaseHandle> byThreads = new ConcurrentHashMap<>();

    /**
     * No leases yet.
     *
     * @param whenReleased called with each key that may be free, also if the store did not answer; must not block
     */
    Leases(
            LeaseStore store,
            LocalTime time,
            Threads threads,
            LeaseRuntime<RenewRequest, RenewAnswer> runtime,
            UnclearCallRecovery recovery,
            Consumer<LockKey> whenReleased) {
        this.store = store;
        this.time = time;
        this.threads = threads;
        this.runtime = runtime;
        this.recovery = recovery;
        this.whenReleased = whenReleased;
        this.releases = new Coalescer<>(
                store::release,
                request -> List.of(request.key()),
                MAX_BATCH,
                store.capabilities().parallelBatches(),
                threads.calls());
    }

    static IllegalStateException closed() {
        return new IllegalStateException("these locks are closed; nothing is granted any more");
    }

    /** The leases not closed yet, and the calls that may bring more. */
    HeldSet<LeaseHandle> held() {
        return held;
    }

    LocalTime time() {
        return time;
    }

    Duration writeEvery() {
        return store.capabilities().writeEvery();
    }

    /**
     * Takes a grant in: from now on it is renewed and watched.
     *
     * @throws IllegalStateException if the locks were closed in the meantime, so that it would not be renewed; it is given back
     */
    LeaseHandle adopt(AcquireAnswer.Granted answer, LeaseOptions options, Moment asked, long owner) {
        List<LeaseRecord> granted =
                answer.grants().stream().map(AcquireAnswer.Grant::lease).toList();
        LeaseHandle lease = new LeaseHandle(this, granted, options, asked, owner);
        runtime.plan(lease);
        if (!held.add(lease)) {
            lease.close();
            throw closed();
        }
        if (owner != 0) {
            granted.forEach(each -> byThreads.put(each.key(), lease));
        }
        runtime.keep(lease);
        answer.grants().forEach(Leases::report);
        return lease;
    }

    /** The lease of {@code key} that {@code thread} holds, as it should be in the store by now. */
    Optional<LeaseRecord> heldBy(long thread, LockKey key) {
        LeaseHandle lease = byThreads.get(key);
        if (lease == null || !lease.isOwnedBy(thread) || !lease.isHeld()) {
            return Optional.empty();
        }
        Duration age = Duration.ofNanos(lease.age());
        Duration sinceRenewal = Duration.ofNanos(time.elapsed(lease.confirmed()));
        LeaseRecord granted = lease.record(key);
        Instant now = granted.grantedAt().plus(age);
        Instant end = now.minus(sinceRenewal).plus(lease.options().terms().ttl());
        return Optional.of(new LeaseRecord(
                key, granted.id(), granted.holder(), granted.token(), granted.grantedAt(), end, now, null));
    }

    Release release(LeaseHandle lease) {
        runtime.forget(lease);
        List<ReleaseRequest> requests = lease.releaseRequests();
        try {
            return released(
                    lease,
                    requests.size() == 1 ? List.of(releases.call(requests.get(0))) : releaseTogether(store, requests));
        } catch (RuntimeException failure) {
            recovery.releaseLater(lease);
            throw failure;
        } finally {
            leave(lease);
        }
    }

    CompletionStage<Release> releaseAsync(LeaseHandle lease) {
        runtime.forget(lease);
        List<ReleaseRequest> requests = lease.releaseRequests();
        CompletableFuture<Release> result = new CompletableFuture<>();
        CompletionStage<List<ReleaseAnswer>> answers = Futures.begun(() -> requests.size() == 1
                ? releases.submit(requests.get(0)).thenApply(List::of)
                : CompletableFuture.supplyAsync(() -> releaseTogether(store, requests), threads.calls()));
        answers.whenComplete((given, failure) -> {
            if (failure != null) {
                recovery.releaseLater(lease);
            }
            leave(lease);
            threads.execute(() -> Futures.settle(result, failure, () -> released(lease, given)));
        });
        return result;
    }

    /** Several releases, which make a batch already; those that the store leaves open are repeated alone. */
    static List<ReleaseAnswer> releaseTogether(LeaseStore store, List<ReleaseRequest> requests) {
        Answers<ReleaseAnswer> together = store.release(requests);
        List<ReleaseAnswer> answers = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            // Not through the coalescer: on a thread of the pool it would wait for a leader that waits for such a
            // thread.
            answers.add(
                    together.isOpen(i) ? store.release(List.of(requests.get(i))).only() : together.get(i));
        }
        return answers;
    }

    /** Gives back a grant whose caller no longer waits, in the background. */
    void giveBack(LeaseHandle lease) {
        lease.releaseAsync().whenComplete((release, failure) -> {
            if (failure != null) {
                log.warn(
                        "release of {}, whose caller no longer waits, failed; retrying: {}", lease, failure.toString());
            }
        });
    }

    /** {@code lease} is lost: ends its renewal and logs the loss. */
    void lost(LeaseHandle lease, LossCause cause) {
        runtime.forget(lease);
        Duration age = Duration.ofNanos(lease.age());
        // On another thread: a log may block, and must not delay the news of other losses.
        threads.execute(() -> log.warn(
                "lease of {} with token {} is lost after {}{}: {}",
                lease.key(),
                lease.token(),
                DurationText.format(age),
                lease.options()
                        .maxHold()
                        .map(limit -> " (limit " + DurationText.format(limit) + ")")
                        .orElse(""),
                cause.explanation()));
    }

    void tell(List<Consumer<LossCause>> listeners, LossCause cause) {
        listeners.forEach(listener -> threads.execute(() -> listener.accept(cause)));
    }

    private void leave(LeaseHandle lease) {
        lease.granted().forEach(each -> byThreads.remove(each.key(), lease));
        held.remove(lease);
        lease.granted().forEach(each -> whenReleased.accept(each.key()));
    }

    private static Release released(LeaseHandle lease, List<ReleaseAnswer> answers) {
        for (ReleaseAnswer answer : answers) {
            if (answer instanceof ReleaseAnswer.Lapsed lapsed) {
                lease.markLost(lapsed.ended().eviction() != null ? LossCause.EVICTED : LossCause.EXPIRED);
            } else if (answer instanceof ReleaseAnswer.Gone && lease.lost() == null) {
                // By the local clock it was held until now, so the key cannot have been granted elsewhere. Most
                // likely the answer to the first try was lost, and this is the answer to the second.
                log.warn("{} with token {} had been released before, says the store", lease.key(), lease.token());
            }
        }
        Release release = lease.lost() != null ? Release.WAS_LOST : Release.RELEASED;
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
