package io.interlock.engine.internal;

import io.interlock.batch.Coalescer;
import io.interlock.engine.WorkSource;
import io.interlock.run.BeatAnswer;
import io.interlock.run.FinishAnswer;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.FinishRequest;
import java.util.List;

/**
 * The way of those who work to the store, as {@link Lanes} are that of others.
 *
 * @param beats for last words, and for heartbeats of others; those of this process make batches already
 * @param finishes for endings
 */
record WorkLanes(Coalescer<BeatRequest, BeatAnswer> beats, Coalescer<FinishRequest, FinishAnswer> finishes) {

    /** Endings come in crowds. One batch of many costs the store a third less than several of few beside each other. */
    private static final int ENDINGS_IN_FLIGHT = 1;

    static WorkLanes of(WorkSource source, EngineThreads threads) {
        return new WorkLanes(
                new Coalescer<>(
                        source.steps()::beat,
                        request -> List.of(request.key()),
                        Lanes.MAX_BATCH,
                        Lanes.RENEWALS_IN_FLIGHT,
                        threads.beats()),
                new Coalescer<>(
                        source.steps()::finish,
                        request -> List.of(request.key()),
                        Lanes.MAX_BATCH,
                        ENDINGS_IN_FLIGHT,
                        threads.endings()));
    }
}
