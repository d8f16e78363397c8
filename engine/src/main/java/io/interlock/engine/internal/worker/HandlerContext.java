package io.interlock.engine.internal.worker;

import io.interlock.FencingToken;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunStoppedException;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.StopRequest;
import java.time.Duration;
import java.util.Optional;

/** What a handler sees of its run. */
public final class HandlerContext implements RunContext {

    private final HeldRun held;
    private final ActiveRuns activeRuns;
    private final WorkOutput output;

    HandlerContext(HeldRun held, ActiveRuns activeRuns, WorkOutput output) {
        this.held = held;
        this.activeRuns = activeRuns;
        this.output = output;
    }

    @Override
    public Run run() {
        return held.run();
    }

    @Override
    public FencingToken token() {
        return held.token();
    }

    @Override
    public Duration remaining() {
        return activeRuns.remaining(held);
    }

    @Override
    public void stage(String name) {
        activeRuns.stage(held, name);
    }

    @Override
    public void progress(long done, long total) {
        activeRuns.progress(held, new Progress(done, total));
    }

    @Override
    public void output(String text) {
        output.add(text);
    }

    @Override
    public void checkpoint() {
        stopping().ifPresent(stop -> {
            throw new RunStoppedException(stop);
        });
    }

    @Override
    public Optional<StopRequest> stopping() {
        return held.stop().raised();
    }

    @Override
    public void onStop(Runnable task) {
        held.stop().onStop(task);
    }

    @Override
    public Duration grace() {
        return held.job().grace();
    }
}
