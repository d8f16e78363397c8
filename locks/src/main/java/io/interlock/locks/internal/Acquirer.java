package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import io.interlock.batch.Coalescer;
import io.interlock.locks.Acquisition;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.LeaseOptions.TakeoverProbe;
import io.interlock.locks.LeaseOptions.TakeoverProbe.Finding;
import io.interlock.locks.internal.StoreLocks.LocksSettings;
import io.interlock.locks.internal.StoreLocks.Threads;
import io.interlock.locks.runtime.Futures;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.AcquireRequest.Takeover;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the store once for a key. A key whose last lease ended by itself is probed first, outside any call to the store, if the caller
 * wants that. Safe for use by many threads.
 */
final class Acquirer {

    private static final Logger log = LoggerFactory.getLogger(Acquirer.class);

    private final LocksSettings settings;
    private final LocalTime time;
    private final Threads threads;
    private final Leases leases;
    private final UnclearCallRecovery recovery;
    private final Coalescer<AcquireRequest, AcquireAnswer> acquires;

    /**
     * What one caller wants.
     *
     * @param request for the store; its id is the same however often it is sent
     * @param options how the lease is to be held
     * @param owner the id of the thread that waits for the answer, or 0 if none does
     */
    record PendingAcquire(AcquireRequest request, LeaseOptions options, long owner) {

        PendingAcquire waiting() {
            return new PendingAcquire(request.waiting(), options, owner);
        }

        PendingAcquire named(LeaseId id) {
            return new PendingAcquire(
                    new AcquireRequest(
                            request.keys(), id, request.holder(), request.terms(), request.waits(), request.takeover()),
                    options,
                    owner);
        }

        /** The request, once the leases with these tokens were probed. */
        private AcquireRequest cleared(Map<LockKey, FencingToken> tokens) {
            return options.takeoverProbe().isPresent() ? request.taking(Takeover.onlyCleared(tokens)) : request;
        }
    }

    /** How requests are sent, and where probes run. */
    private record Route(Function<AcquireRequest, CompletionStage<AcquireAnswer>> send, Executor probes) {}

    Acquirer(LocksSettings settings, LocalTime time, Threads threads, Leases leases, UnclearCallRecovery recovery) {
        this.settings = settings;
        this.time = time;
        this.threads = threads;
        this.leases = leases;
        this.recovery = recovery;
        this.acquires = new Coalescer<>(
                settings.store()::tryAcquire,
                AcquireRequest::keys,
                Leases.MAX_BATCH,
                settings.store().capabilities().parallelBatches(),
                threads.calls());
    }

    /**
     * Asks on the calling thread.
     *
     * @throws IllegalStateException if the locks are closed
     */
    Acquisition ask(PendingAcquire wanted) {
        if (!leases.held().enter()) {
            throw Leases.closed();
        }
        try {
            Route here = new Route(request -> CompletableFuture.completedFuture(acquires.call(request)), Runnable::run);
            return Futures.done(ask(wanted, here, Map.of()));
        } finally {
            leases.held().leave();
        }
    }

    CompletionStage<Acquisition> askAsync(PendingAcquire wanted) {
        if (!leases.held().enter()) {
            return CompletableFuture.failedFuture(Leases.closed());
        }
        return ask(wanted, new Route(acquires::submit, threads), Map.of())
                .whenComplete((acquisition, failure) -> leases.held().leave());
    }

    private CompletionStage<Acquisition> ask(PendingAcquire wanted, Route route, Map<LockKey, FencingToken> cleared) {
        AcquireRequest request = wanted.cleared(cleared);
        // Before the request is sent: the store's clock for the lease cannot start earlier.
        Moment before = time.now();
        return Futures.begun(() -> route.send.apply(request))
                .handle((answer, failure) -> failure != null
                        ? failed(request, Futures.cause(failure))
                        : answered(wanted, route, cleared, before, answer))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Acquisition> failed(AcquireRequest request, Throwable failure) {
        if (!(failure instanceof InvalidSettingException)) {
            recovery.lookFor(request);
        }
        return CompletableFuture.failedFuture(failure);
    }

    private CompletionStage<Acquisition> answered(
            PendingAcquire wanted,
            Route route,
            Map<LockKey, FencingToken> cleared,
            Moment before,
            AcquireAnswer answer) {
        if (answer instanceof AcquireAnswer.Granted granted) {
            Duration took = Duration.ofNanos(time.elapsed(before));
            if (took.compareTo(wanted.request().terms().reliance()) >= 0) {
                return failed(
                        wanted.request(),
                        new StoreUnavailableException(
                                settings.store().capabilities().store(),
                                "granted " + wanted.request().keys() + " only after " + DurationText.format(took)
                                        + ", too late to rely on"));
            }
            return CompletableFuture.completedFuture(
                    new Acquisition.Granted(leases.adopt(granted, wanted.options(), before, wanted.owner())));
        }
        Refusal refusal = ((AcquireAnswer.Refused) answer).refusal();
        if (refusal instanceof Refusal.AwaitsProbe awaits
                && wanted.options().takeoverProbe().isPresent()
                && !awaits.expired().token().equals(cleared.get(awaits.key()))) {
            TakeoverProbe probe = wanted.options().takeoverProbe().get();
            return CompletableFuture.supplyAsync(() -> probe(probe, awaits.expired()), route.probes)
                    .thenCompose(finding -> probed(wanted, route, cleared, awaits.expired(), finding));
        }
        return refused(refusal);
    }

    private CompletionStage<Acquisition> probed(
            PendingAcquire wanted,
            Route route,
            Map<LockKey, FencingToken> cleared,
            LeaseRecord expired,
            Finding finding) {
        if (finding instanceof Finding.StillRunning running) {
            return refused(new Refusal.StillRunning(expired, running.detail(), settings.pollEvery()));
        }
        Map<LockKey, FencingToken> more = new HashMap<>(cleared);
        more.put(expired.key(), expired.token());
        return ask(wanted, route, more);
    }

    private static CompletionStage<Acquisition> refused(Refusal refusal) {
        if (log.isDebugEnabled()) {
            log.debug("refused: {}", refusal.explanation());
        }
        return CompletableFuture.completedFuture(new Acquisition.Refused(refusal));
    }

    private static Finding probe(TakeoverProbe probe, LeaseRecord expired) {
        try {
            return probe.look(expired);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Finding.StillRunning("the probe was interrupted");
        } catch (Exception failure) {
            log.warn("the take-over probe for {} failed, so the key stays closed", expired.key(), failure);
            return new Finding.StillRunning("the probe failed, " + failure);
        }
    }
}
