package io.interlock.engine.internal;

import io.interlock.batch.Coalescer;
import io.interlock.engine.WorkSource;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.HeartbeatRequest;
import java.util.List;

/**
 * The way of those who work to the store, as {@link RunBatches} are that of others.
 *
 * @param heartbeats for last words, and for heartbeats of others; those of this process make batches already
 * @param finishes for endings
 */
record WorkBatches(
        Coalescer<HeartbeatRequest, HeartbeatAnswer> heartbeats, Coalescer<FinishRequest, FinishAnswer> finishes) {

    /** Endings come in crowds. One batch of many costs the store a third less than several of few beside each other. */
    private static final int ENDINGS_IN_FLIGHT = 1;

    static WorkBatches of(WorkSource source, EngineThreads threads) {
        return new WorkBatches(
                new Coalescer<>(
                        source.steps()::heartbeat,
                        request -> List.of(request.key()),
                        RunBatches.MAX_BATCH,
                        RunBatches.RENEWALS_IN_FLIGHT,
                        threads.heartbeats()),
                new Coalescer<>(
                        source.steps()::finish,
                        request -> List.of(request.key()),
                        RunBatches.MAX_BATCH,
                        ENDINGS_IN_FLIGHT,
                        threads.endings()));
    }
}
