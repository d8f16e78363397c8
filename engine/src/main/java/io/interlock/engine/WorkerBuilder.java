package io.interlock.engine;

import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.engine.CallerRun.TurnSource;
import io.interlock.engine.WorkerEngine.CallerEngine;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.submit.CallerTurns;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.engine.internal.worker.WorkerAssembly;
import io.interlock.run.Run;
import io.interlock.time.LocalTime.Moment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sets up a {@link WorkerEngine}. Not safe for use by many threads. */
public final class WorkerBuilder extends WorkBuilder<WorkerBuilder> {

    WorkerBuilder(WorkSource source) {
        super(source);
    }

    @Override
    WorkerBuilder self() {
        return this;
    }

    /**
     * The engine, working.
     *
     * @throws InvalidSettingException if a setting is out of its limits
     */
    public WorkerEngine build() {
        return WorkerOnlyEngine.open(settings(), null);
    }

    /** Like {@link #build}, and for callers in this process, whose places in queues are at {@code turns}. */
    public CallerEngine build(TurnSource turns) {
        return WorkerOnlyEngine.open(settings(), turns);
    }

    /** {@link WorkerEngine} of the parts that do work, and no others. */
    private static final class WorkerOnlyEngine implements CallerEngine {

        private final WorkerAssembly work;
        private final WaitScheduler.EngineLifecycle lifecycle;
        private final WaitScheduler waits;
        private final @Nullable CallerTurns callers;

        private WorkerOnlyEngine(EngineSettings.WorkSettings settings, @Nullable TurnSource turns) {
            work = WorkerAssembly.of(settings);
            lifecycle = new WaitScheduler.EngineLifecycle(work.activeRuns());
            waits = new WaitScheduler(lifecycle, work.threads(), work.timers(), settings.pollEvery());
            callers =
                    turns == null ? null : new CallerTurns(settings, waits, turns, work.activeRuns(), work.finisher());
        }

        static CallerEngine open(EngineSettings.WorkSettings settings, @Nullable TurnSource turns) {
            WorkerOnlyEngine engine = new WorkerOnlyEngine(settings, turns);
            try {
                engine.work.workers().start();
            } catch (RuntimeException | Error failure) {
                // The caller gets no engine, so it could not end what has begun.
                engine.close();
                throw failure;
            }
            return engine;
        }

        @Override
        public WorkerEngine.Status workers() {
            return work.workers().status();
        }

        @Override
        public CallerRun adopt(Run run, LeaseRecord lease, Moment before) {
            return Objects.requireNonNull(callers).adopt(run, lease, before);
        }

        @Override
        public CallerTurn turn(Run run, LeaseId lease) {
            return Objects.requireNonNull(callers).turn(run, lease);
        }

        @Override
        public long missedEvents() {
            return work.events().missed();
        }

        @Override
        public Jobs jobs() {
            return work.settings().jobs();
        }

        @Override
        public void close() {
            if (lifecycle.close()) {
                work.drain(waits::close, work::close);
            }
        }
    }
}
