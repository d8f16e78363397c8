package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.spi.Answers;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.DiscardRequest;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.DeadLetterRules;
import io.interlock.spi.run.rules.MoveRules;
import io.interlock.spi.run.rules.ResourceRules;
import io.interlock.spi.run.rules.StopRules;
import io.interlock.spi.run.rules.SubmitRules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The steps of callers and operators on runs in memory. Steps about runs wait for each other. */
class MemoryRuns implements RunSteps {

    private final MemoryClient client;

    MemoryRuns(MemoryClient client) {
        this.client = client;
    }

    @Override
    public Answers<SubmitAnswer> submit(List<SubmitRequest> requests) {
        requests.forEach(request -> request.spec().terms().within(client.table().maxLease()));
        return client.answer(requests, request -> {
            SubmitAnswer answer = submit(request);
            if (request.spec().policy().supersedes()) {
                client.wake(request.key());
            }
            return answer;
        });
    }

    SubmitAnswer submit(SubmitRequest request) {
        RunTable table = client.table();
        return table.step(request.key(), state -> {
            Run known = client.known(request.id());
            if (known != null) {
                return SubmitRules.repeated(state, request, known);
            }
            SubmitRequest.Idempotency idempotency = request.idempotency();
            if (idempotency == null) {
                return SubmitRules.submit(state, request);
            }
            NameRows.Name name = name(request.key(), idempotency);
            Instant now = state.now();
            NameRows.Remembered before = table.rows.names.find(name, now).orElse(null);
            if (before != null) {
                Run run = table.rows.run(before.run()).orElseThrow();
                return SubmitRules.remembered(state, idempotency, before.fingerprint(), run);
            }
            SubmitAnswer answer = SubmitRules.submit(state, request);
            answer.result().ifPresent(run -> table.rows.names.remember(name, idempotency, run.id(), now));
            return answer;
        });
    }

    NameRows.Name name(LockKey key, SubmitRequest.Idempotency idempotency) {
        return new NameRows.Name(key.tenant(), idempotency.key());
    }

    /**
     * All callers of a batch count as alive before any of its keys is settled, so that no caller that has just
     * reported counts as gone.
     */
    @Override
    public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
        RunTable table = client.table();
        table.heard();
        Map<LockKey, List<RunId>> reported = new LinkedHashMap<>();
        requests.forEach(request -> reported.computeIfAbsent(request.key(), key -> new ArrayList<>())
                .add(request.run()));
        reported.forEach((key, runs) -> table.unsettled(key, state -> {
            ClaimRules.noteAlive(state, runs);
            return runs;
        }));
        return client.answer(
                requests,
                request -> table.step(
                        request.key(), state -> ClaimRules.takeTurn(state, request, client.known(request.run()))));
    }

    @Override
    public CancelAnswer cancel(CancelRequest request) {
        CancelAnswer answer = client.about(request.run(), (state, run) -> StopRules.cancel(state, request, run))
                .orElseGet(CancelAnswer.Unknown::new);
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            client.wake(cancelled.run().key());
        } else if (answer instanceof CancelAnswer.StopRequested asked) {
            client.wake(asked.run().key());
        }
        return answer;
    }

    @Override
    public MoveAnswer moveToFront(MoveRequest request) {
        return client.about(request.run(), (state, run) -> MoveRules.toFront(state, request, run))
                .orElseGet(MoveAnswer.Unknown::new);
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return client.about(
                        request.dead(),
                        (state, dead) -> DeadLetterRules.redrive(
                                state,
                                request,
                                dead,
                                client.table().rows.history.disposition(dead.id()),
                                client.table().rows.run(request.anew()).orElse(null)))
                .orElseGet(RedriveAnswer.Unknown::new);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return client.about(
                        request.dead(),
                        (state, dead) -> DeadLetterRules.discard(
                                state,
                                request,
                                dead,
                                client.table().rows.history.disposition(dead.id())))
                .orElseGet(DiscardAnswer.Unknown::new);
    }

    @Override
    public Pause pause(PauseRequest request) {
        RunTable table = client.table();
        return table.alone(rows -> {
            Instant now = table.now();
            Pause pause = new Pause(
                    request.tenant(),
                    request.pattern(),
                    request.actor().name(),
                    request.reason(),
                    now,
                    request.time() == null ? null : now.plus(request.time()));
            rows.pauses.begin(pause);
            rows.audit.append(pause.begins(request.actor()));
            return pause;
        });
    }

    /** Ends a pause. At most a page of its keys is settled before this returns. */
    @Override
    public boolean resume(ResumeRequest request) {
        RunTable table = client.table();
        Optional<Pause> pause = table.alone(rows -> {
            Instant now = table.now();
            Optional<Pause> over = rows.pauses.end(request.tenant(), request.pattern(), now);
            over.ifPresent(ended -> rows.audit.append(
                    Pause.resumed(request.tenant(), request.pattern(), request.actor(), request.reason(), now)));
            return over;
        });
        pause.ifPresent(over -> {
            table.settleAfter(over);
            table.wakeWorkers(over.tenant());
        });
        return pause.isPresent();
    }

    @Override
    public ResourceAnswer setResource(ResourceRequest request) {
        return client.table().step(request.key(), state -> ResourceRules.set(state, request));
    }
}
