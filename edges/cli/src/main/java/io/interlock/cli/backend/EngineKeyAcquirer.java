package io.interlock.cli.backend;

import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.text.Json;
import io.interlock.engine.CallerTurn;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.locks.Outcome;
import io.interlock.run.Execution;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.Wait;
import io.interlock.service.EngineService;
import io.interlock.service.Facts;
import java.util.Optional;

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
            engine.cancel(turn.run().id(), actor, "whoever waited has left");
        }
    }
}
