package io.interlock.engine.internal;

import io.interlock.batch.Coalescer;
import io.interlock.run.BeatAnswer;
import io.interlock.run.FinishAnswer;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;

/** The way to the store: a lane for each kind of step, each of which gathers concurrent calls. */
final class Lanes {

    private static final int MAX_BATCH = 200;

    private final Coalescer<SubmitRequest, SubmitAnswer> submits;
    private final Coalescer<TurnRequest, TurnAnswer> turns;
    private final Coalescer<BeatRequest, BeatAnswer> beats;
    private final Coalescer<FinishRequest, FinishAnswer> finishes;

    Lanes(RunStore store, EngineThreads threads) {
        submits = new Coalescer<>(store::submit, MAX_BATCH, threads.calls());
        turns = new Coalescer<>(store::takeTurn, MAX_BATCH, threads.calls());
        beats = new Coalescer<>(store::beat, MAX_BATCH, threads.beats());
        finishes = new Coalescer<>(store::finish, MAX_BATCH, threads.calls());
    }

    Coalescer<SubmitRequest, SubmitAnswer> submits() {
        return submits;
    }

    Coalescer<TurnRequest, TurnAnswer> turns() {
        return turns;
    }

    /** For heartbeats of others; those of this process make batches already. */
    Coalescer<BeatRequest, BeatAnswer> beats() {
        return beats;
    }

    Coalescer<FinishRequest, FinishAnswer> finishes() {
        return finishes;
    }
}
