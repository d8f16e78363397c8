package io.interlock.engine.internal.runtime;

import io.interlock.batch.Coalescer;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import java.util.List;
import java.util.concurrent.Executor;

/** The ways to the store, on which requests made at the same time travel together. */
public final class Batches {

    private static final int MAX_BATCH = 200;

    /** A batch of renewals or heartbeats waits for no row, and a store keeps few connections for them. */
    private static final int RENEWALS_IN_FLIGHT = 1;

    /** Endings come in crowds. One batch of many costs the store a third less than several of few beside each other. */
    private static final int ENDINGS_IN_FLIGHT = 1;

    private Batches() {}

    /**
     * Requests of workers to the store, those of one kind made at the same time together.
     *
     * @param heartbeats for last words, and for heartbeats of others; those of this process make batches already
     */
    public record Work(
            Coalescer<HeartbeatRequest, HeartbeatAnswer> heartbeats, Coalescer<FinishRequest, FinishAnswer> finishes) {

        public static Work of(WorkSource source, EngineThreads threads) {
            return new Work(
                    new Coalescer<>(
                            source.steps()::heartbeat,
                            request -> List.of(request.key()),
                            MAX_BATCH,
                            RENEWALS_IN_FLIGHT,
                            threads.heartbeats()),
                    new Coalescer<>(
                            source.steps()::finish,
                            request -> List.of(request.key()),
                            MAX_BATCH,
                            ENDINGS_IN_FLIGHT,
                            threads.endings()));
        }
    }

    /**
     * Requests to the store, those of one kind made at the same time together.
     *
     * @param renewals apart from acquires, like heartbeats: a lease must not be lost behind requests for others
     */
    public record Runs(
            Coalescer<SubmitRequest, SubmitAnswer> submits,
            Coalescer<TurnRequest, TurnAnswer> turns,
            Coalescer<AcquireRequest, AcquireAnswer> acquires,
            Coalescer<RenewRequest, RenewAnswer> renewals,
            Coalescer<ReleaseRequest, ReleaseAnswer> releases,
            Work work) {

        public static Runs of(RunStore store, EngineThreads threads, Work work) {
            int inFlight = store.capabilities().parallelBatches();
            int most = MAX_BATCH;
            Executor calls = threads.calls();
            return new Runs(
                    Coalescer.gathering(store.runs()::submit, request -> List.of(request.key()), most, inFlight, calls),
                    new Coalescer<>(store.runs()::takeTurn, request -> List.of(request.key()), most, inFlight, calls),
                    new Coalescer<>(store::tryAcquire, AcquireRequest::keys, most, inFlight, calls),
                    new Coalescer<>(
                            store::renew,
                            request -> List.of(request.key()),
                            most,
                            RENEWALS_IN_FLIGHT,
                            threads.heartbeats()),
                    new Coalescer<>(
                            new ReleaseStep(store)::release, request -> List.of(request.key()), most, inFlight, calls),
                    work);
        }
    }
}
