package io.interlock.cli.backend;

import io.interlock.LeaseLostException;
import io.interlock.StoreUnavailableException;
import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.HeldKey;
import io.interlock.cli.backend.KeyAcquirer.HeldKey.Result;
import io.interlock.cli.backend.KeyAcquirer.HeldKey.Stop;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.text.Json;
import io.interlock.engine.CallerRun;
import io.interlock.engine.CallerTurn;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.locks.Outcome;
import io.interlock.run.Ending;
import io.interlock.run.Execution;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.StopRequest;
import io.interlock.run.Turn;
import io.interlock.run.Wait;
import io.interlock.service.EngineService;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A run whose work this process does, on an engine of its own. */
final class EngineKeyAcquirer implements KeyAcquirer {

    private final RunEngine engine;
    private final EngineService service;
    private final String actor;

    EngineKeyAcquirer(RunEngine engine, EngineService service, String actor) {
        this.engine = engine;
        this.service = service;
        this.actor = actor;
    }

    @Override
    public Entry enter(KeyAcquirer.Request order) {
        Submission answer = engine.submit(request(order));
        if (answer instanceof Submission.Started started && started.work() != null) {
            return new KeyAcquirer.Entry.Granted(new EngineHeldKey(started.work(), engine.remote()));
        }
        if (answer instanceof Submission.Queued queued && queued.turn() != null) {
            return new KeyAcquirer.Entry.InLine(new EnginePlace(queued.turn()));
        }
        String code = answer instanceof Submission.Rejected rejected
                ? rejected.refusal().code()
                : answer instanceof Submission.Skipped skipped
                        ? skipped.refusal().code()
                        : "lock-held";
        return new KeyAcquirer.Entry.Busy(service.lock(order.key()), code, answer.explanation());
    }

    private RunRequest request(KeyAcquirer.Request order) {
        RunRequest request = RunRequest.of(order.key(), order.job())
                .execution(Execution.CALLER)
                .onConflict(order.ifBusy().policy())
                .lease(order.lease())
                .priority(order.priority())
                .labels(order.labels())
                .submitter(actor)
                .parameters(Json.line(Facts.with("program", order.program())));
        if (order.maxWait() != null) {
            request = request.maxWait(order.maxWait());
        }
        return order.reason() == null ? request : request.reason(order.reason());
    }

    private final class EnginePlace implements Place {

        private final CallerTurn turn;

        EnginePlace(CallerTurn turn) {
            this.turn = turn;
        }

        @Override
        public Outcome take() throws InterruptedException {
            CallerTurn.Outcome outcome = turn.take();
            if (outcome instanceof CallerTurn.Outcome.Granted granted) {
                return new Outcome.Taken(new EngineHeldKey(granted.work(), engine.remote()));
            }
            RunError error = ((CallerTurn.Outcome.Over) outcome).run().status().error();
            return error == null
                    ? new Outcome.Over("OVER", "the run ended before its turn came")
                    : new Outcome.Over(error.code(), error.message());
        }

        @Override
        public View look() {
            Run run = turn.run();
            Optional<Wait> wait = engine.explain(run.id());
            return new View(service.lock(run.key()), wait.map(Wait::position).orElse(0));
        }

        @Override
        public void leave() {
            turn.close();
            // Closing tells the store in the background, and this process may not live that long.
            engine.cancel(turn.run().id(), actor, "the waiting command was ended");
        }
    }

    /** A run of this process, kept alive by its engine. */
    static final class EngineHeldKey implements HeldKey {

        // Whatever else a stop request says, the lease is as good as gone.
        private static final Set<String> WISHES = Set.of(RunError.CANCELLED, RunError.SUPERSEDED);

        private static final Duration LAST_WORDS = Duration.ofSeconds(5);

        private final CallerRun work;
        private final RemoteWork remote;
        private @Nullable String stage;
        private @Nullable Progress progress;

        EngineHeldKey(CallerRun work, RemoteWork remote) {
            this.work = work;
            this.remote = remote;
        }

        @Override
        public String runId() {
            return work.run().id().toString();
        }

        @Override
        public long token() {
            return work.token().value();
        }

        @Override
        public Duration remaining() {
            return work.remaining();
        }

        @Override
        public void onStop(Consumer<Stop> listener) {
            work.onStop(() -> work.stopping().ifPresent(stop -> listener.accept(stop(stop))));
        }

        @Override
        public synchronized void stage(String name) {
            stage = name;
            work.stage(name);
        }

        @Override
        public synchronized void progress(long done, @Nullable Long total) {
            progress = new Progress(done, total);
            work.progress(done, total);
        }

        @Override
        public Optional<Stop> finish(Result result) {
            tellLastWords();
            try {
                work.finish(ending(result));
                return Optional.empty();
            } catch (LeaseLostException lost) {
                return Optional.of(new Stop(Stop.Kind.LOST, String.valueOf(lost.getMessage())));
            } catch (StoreUnavailableException untold) {
                return Optional.of(new Stop(Stop.Kind.UNTOLD, String.valueOf(untold.getMessage())));
            }
        }

        // The engine tells them with the next heartbeat, and after the end there is none.
        private synchronized void tellLastWords() {
            Turn turn = work.run().status().lastTurn().orElse(null);
            if ((stage == null && progress == null)
                    || turn == null
                    || work.stopping().isPresent()) {
                return;
            }
            RemoteWork.Proof proof = new RemoteWork.Proof(work.run().id(), work.key(), turn.lease(), turn.token());
            try {
                remote.heartbeat(proof, stage, progress)
                        .toCompletableFuture()
                        .get(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException untold) {
                // How it ended matters more, and is told next.
            }
        }

        private static Stop stop(StopRequest stop) {
            return WISHES.contains(stop.code())
                    ? new Stop(Stop.Kind.CANCELLED, stop.actor() + " requested a stop: " + stop.reason())
                    : new Stop(Stop.Kind.LOST, stop.reason());
        }

        private static Ending ending(Result result) {
            RunError error = new RunError(result.code(), result.message());
            return switch (result.kind()) {
                case SUCCEEDED -> new Ending.Succeeded(Json.line(Facts.with("exitCode", result.exitCode())));
                case FAILED -> new Ending.Failed(error, false, null);
                case ABORTED -> new Ending.Aborted(error);
                case TIMED_OUT -> new Ending.TimedOut(error);
            };
        }
    }
}
