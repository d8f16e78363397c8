package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Acquisition;
import io.interlock.locks.TakeoverProbe;
import io.interlock.locks.TakeoverProbe.Finding;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.time.Moment;
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
 * Looks once whether a key is free, and takes it if so. A key whose last lease ended by itself is probed first, outside any
 * call to the store, if the asker wants that.
 */
final class Acquirer {

    private static final Logger log = LoggerFactory.getLogger(Acquirer.class);

    private final LocksRuntime runtime;

    Acquirer(LocksRuntime runtime) {
        this.runtime = runtime;
    }

    /**
     * Looks on the calling thread.
     *
     * @throws IllegalStateException if the locks are closed
     */
    Acquisition look(PendingAcquire ask) {
        Function<AcquireRequest, CompletionStage<AcquireAnswer>> send =
                request -> CompletableFuture.completedFuture(runtime.batches().acquire(request));
        runtime.gate().enter();
        try {
            return Futures.done(look(ask, new Road(send, Runnable::run), Map.of()));
        } finally {
            runtime.gate().leave();
        }
    }

    /** Looks without blocking. */
    CompletionStage<Acquisition> lookAsync(PendingAcquire ask) {
        try {
            runtime.gate().enter();
        } catch (IllegalStateException closed) {
            return CompletableFuture.failedFuture(closed);
        }
        return look(ask, new Road(runtime.batches()::acquireAsync, runtime.threads()), Map.of())
                .whenComplete((acquisition, failure) -> runtime.gate().leave());
    }

    private CompletionStage<Acquisition> look(PendingAcquire ask, Road road, Map<LockKey, FencingToken> cleared) {
        AcquireRequest request = ask.cleared(cleared);
        // Before the request is sent: the store's clock for the lease cannot start earlier.
        Moment before = runtime.time().now();
        CompletionStage<AcquireAnswer> sent;
        try {
            sent = road.send.apply(request);
        } catch (RuntimeException failure) {
            sent = CompletableFuture.failedFuture(failure);
        }
        return sent.handle((answer, failure) -> failure != null
                        ? failed(request, Futures.cause(failure))
                        : answered(ask, road, cleared, before, answer))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<Acquisition> failed(AcquireRequest request, Throwable failure) {
        if (!(failure instanceof InvalidSettingException)) {
            runtime.recovery().lookFor(request);
        }
        return CompletableFuture.failedFuture(failure);
    }

    private CompletionStage<Acquisition> answered(
            PendingAcquire ask, Road road, Map<LockKey, FencingToken> cleared, Moment before, AcquireAnswer answer) {
        if (answer instanceof AcquireAnswer.Granted granted) {
            Duration took = Duration.ofNanos(runtime.time().elapsed(before));
            if (took.toNanos() >= Deadlines.stopAfter(ask.request().terms())) {
                return failed(
                        ask.request(),
                        new StoreUnavailableException(
                                runtime.settings().store().capabilities().store(),
                                "granted " + ask.request().keys() + " only after " + DurationText.format(took)
                                        + ", too late to rely on"));
            }
            return granted(runtime.leases().adopt(granted, ask.options(), before, ask.owner()));
        }
        Refusal refusal = ((AcquireAnswer.Refused) answer).refusal();
        if (refusal instanceof Refusal.AwaitsProbe awaits
                && ask.options().takeoverProbe().isPresent()
                && !awaits.expired().token().equals(cleared.get(awaits.key()))) {
            TakeoverProbe probe = ask.options().takeoverProbe().get();
            return CompletableFuture.supplyAsync(() -> probe(probe, awaits.expired()), road.outside)
                    .thenCompose(finding -> found(ask, road, cleared, awaits.expired(), finding));
        }
        log.debug("refused: {}", refusal.explanation());
        return CompletableFuture.completedFuture(new Acquisition.Refused(refusal));
    }

    private CompletionStage<Acquisition> found(
            PendingAcquire ask, Road road, Map<LockKey, FencingToken> cleared, LeaseRecord expired, Finding finding) {
        if (finding instanceof Finding.StillRunning running) {
            Refusal refusal = new Refusal.StillRunning(
                    expired, running.detail(), runtime.settings().pollEvery());
            log.debug("refused: {}", refusal.explanation());
            return CompletableFuture.completedFuture(new Acquisition.Refused(refusal));
        }
        Map<LockKey, FencingToken> more = new HashMap<>(cleared);
        more.put(expired.key(), expired.token());
        return look(ask, road, more);
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

    private static CompletionStage<Acquisition> granted(HeldLease lease) {
        return CompletableFuture.completedFuture(new Acquisition.Granted(lease));
    }

    /** How requests travel, and where probes run. */
    private record Road(Function<AcquireRequest, CompletionStage<AcquireAnswer>> send, Executor outside) {}
}
