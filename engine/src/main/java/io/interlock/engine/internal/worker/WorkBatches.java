package io.interlock.engine.internal.worker;

import io.interlock.batch.Coalescer;
import io.interlock.engine.WorkSource;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.HeartbeatRequest;
import java.util.List;

/**
 * Requests of workers to the store, those of one kind made at the same time together.
 *
 * @param heartbeats for last words, and for heartbeats of others; those of this process make batches already
 * @param finishes for endings
 */
public record WorkBatches(
        Coalescer<HeartbeatRequest, HeartbeatAnswer> heartbeats, Coalescer<FinishRequest, FinishAnswer> finishes) {

    /** How many requests a batch takes at most. */
    public static final int MAX_BATCH = 200;

    /** A batch of renewals or heartbeats waits for no row, and a store keeps few connections for them. */
    public static final int RENEWALS_IN_FLIGHT = 1;

    /** Endings come in crowds. One batch of many costs the store a third less than several of few beside each other. */
    private static final int ENDINGS_IN_FLIGHT = 1;

    static WorkBatches of(WorkSource source, EngineThreads threads) {
        return new WorkBatches(
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
