package io.interlock.engine.internal.worker;

import io.interlock.FencingToken;
import io.interlock.engine.RunStoppedException;
import io.interlock.engine.WorkContext;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.StopRequest;
import java.time.Duration;
import java.util.Optional;

/** What work sees of the run it holds. Safe for use by many threads. */
public abstract class HeldRunContext implements WorkContext {

    protected final ActiveRuns activeRuns;
    protected final HeldRun held;

    protected HeldRunContext(ActiveRuns activeRuns, HeldRun held) {
        this.activeRuns = activeRuns;
        this.held = held;
    }

    @Override
    public final Run run() {
        return held.run();
    }

    @Override
    public final FencingToken token() {
        return held.token();
    }

    @Override
    public final Duration remaining() {
        return held.remaining();
    }

    @Override
    public final void stage(String name) {
        activeRuns.stage(held, name);
    }

    @Override
    public final void checkpoint() {
        stopping().ifPresent(stop -> {
            throw new RunStoppedException(stop);
        });
    }

    @Override
    public final Optional<StopRequest> stopping() {
        return held.stop().raised();
    }

    @Override
    public final void onStop(Runnable task) {
        held.stop().onStop(task);
    }
}
