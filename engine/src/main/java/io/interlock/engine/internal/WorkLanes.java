package io.interlock.engine.internal;

import io.interlock.batch.Coalescer;
import io.interlock.run.BeatAnswer;
import io.interlock.run.FinishAnswer;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.WorkSteps;

/**
 * The way of those who work to the store, as {@link Lanes} are that of others.
 *
 * @param beats for last words, and for heartbeats of others; those of this process make batches already
 * @param finishes for endings
 */
record WorkLanes(Coalescer<BeatRequest, BeatAnswer> beats, Coalescer<FinishRequest, FinishAnswer> finishes) {

    static WorkLanes of(WorkSteps steps, EngineThreads threads) {
        return new WorkLanes(
                new Coalescer<>(steps::beat, Lanes.MAX_BATCH, threads.beats()),
                new Coalescer<>(steps::finish, Lanes.MAX_BATCH, threads.calls()));
    }
}
