package io.interlock.cli.backend;

import io.interlock.LeaseLostException;
import io.interlock.StoreUnavailableException;
import io.interlock.client.Json;
import io.interlock.engine.CallerRun;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A run whose work this process does, on a store or by a server: the engine of either keeps its lease alive. */
final class RunKeyAcquirer implements KeyAcquirer {

    private final Backend backend;
    private final Function<RunRequest, Submission> submissions;
    private final Environment environment;
    private final String actor;

    RunKeyAcquirer(
            Backend backend, Function<RunRequest, Submission> submissions, Environment environment, String actor) {
        this.backend = backend;
        this.submissions = submissions;
        this.environment = environment;
        this.actor = actor;
    }

    @Override
    public Entry enter(Request order) {
        Submission answer = submissions.apply(request(order));
        if (answer instanceof Submission.Started started && started.work() != null) {
            return new Entry.Granted(new HeldRun(started.work(), environment));
        }
        if (answer instanceof Submission.Queued queued && queued.turn() != null) {
            return new Entry.InLine(new QueuedRun(queued.turn()));
        }
        String code =
                answer instanceof Submission.Refused refused ? refused.refusal().code() : "lock-held";
        return new Entry.Busy(KeyAcquirer.lock(() -> backend.lock(order.key().name())), code, answer.explanation());
    }

    private RunRequest request(Request order) {
        RunRequest request = RunRequest.of(order.key(), order.job())
                .execution(Execution.CALLER)
                .onConflict(order.onConflict())
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

    private final class QueuedRun implements Place {

        private final CallerTurn turn;

        QueuedRun(CallerTurn turn) {
            this.turn = turn;
        }

        @Override
        public Entry take() throws InterruptedException {
            CallerTurn.Outcome outcome = turn.take();
            if (outcome instanceof CallerTurn.Outcome.Granted granted) {
                return new Entry.Granted(new HeldRun(granted.work(), environment));
            }
            RunError error = ((CallerTurn.Outcome.Over) outcome).run().status().error();
            return error == null
                    ? new Entry.Busy(Facts.none(), "OVER", "the run ended before its turn came")
                    : new Entry.Busy(Facts.none(), error.code(), error.message());
        }

        @Override
        public View look() {
            Run run = turn.run();
            int position =
                    (int) backend.requests().get(path()).number("position").orElse(0);
            return new View(backend.lock(run.key().name()), position);
        }

        @Override
        public void leave() {
            // Closing tells the store in the background, and this process may not live that long. Before, because a run
            // that is cancelled already cannot be cancelled again.
            try {
                backend.requests().post(path() + "/cancel", Facts.with("reason", "the waiting command was ended"));
            } finally {
                turn.close();
            }
        }

        private String path() {
            return "/runs/" + turn.run().id();
        }
    }

    /** A run of this process, kept alive by its engine. */
    static final class HeldRun implements HeldKey {

        // Whatever else a stop request says, the lease is as good as gone.
        private static final Set<String> WISHES = Set.of(RunError.CANCELLED, RunError.SUPERSEDED);

        private static final int TRIES = 12;

        private final CallerRun work;
        private final Environment environment;

        HeldRun(CallerRun work, Environment environment) {
            this.work = work;
            this.environment = environment;
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
        public void stage(String name) {
            work.stage(name);
        }

        @Override
        public void progress(long done, @Nullable Long total) {
            work.progress(done, total);
        }

        /** Told again for as long as the lease lives: after that, the answer makes no difference. */
        @Override
        public Optional<Stop> finish(Ending ending) {
            long until = environment.ticker().nanos() + work.remaining().toNanos();
            while (true) {
                try {
                    work.finish(ending);
                    return Optional.empty();
                } catch (LeaseLostException lost) {
                    return Optional.of(new Stop(Stop.Kind.LOST, String.valueOf(lost.getMessage())));
                } catch (StoreUnavailableException untold) {
                    if (environment.ticker().nanos() - until >= 0) {
                        return Optional.of(new Stop(Stop.Kind.UNTOLD, String.valueOf(untold.getMessage())));
                    }
                    pause(work.run().spec().terms().ttl().dividedBy(TRIES));
                }
            }
        }

        private void pause(Duration time) {
            CompletableFuture<Boolean> over = new CompletableFuture<>();
            try (Timers timers = environment.timers("interlock-pause")) {
                timers.after(time, () -> over.complete(true));
                over.join();
            }
        }

        private static Stop stop(StopRequest stop) {
            return WISHES.contains(stop.code())
                    ? new Stop(Stop.Kind.CANCELLED, stop.actor() + " requested a stop: " + stop.reason())
                    // The lease of a run is renewed by heartbeats.
                    : new Stop(Stop.Kind.LOST, stop.reason().replace("no renewal was", "no heartbeat was"));
        }
    }
}
