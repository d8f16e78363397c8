package io.interlock.engine.internal;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseId;
import io.interlock.LeaseTerms;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.engine.ConflictRetry;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.IdempotencyMismatchException;
import io.interlock.engine.Job;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Execution;
import io.interlock.run.Origin;
import io.interlock.run.RefusalCount;
import io.interlock.run.Run;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.time.Environment;
import io.interlock.time.Moment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Takes requests in: fills in what the job says, asks the store, and says what came of it. */
final class Submitter {

    private final House house;
    private final OpenRunLimit limit;

    Submitter(House house, OpenRunLimit limit) {
        this.house = house;
        this.limit = limit;
    }

    Submission submit(RunRequest request) {
        Ask ask = ask(request, null);
        if (ask.retry.times() > 0) {
            try {
                return submit(ask).join();
            } catch (CompletionException failure) {
                throw FutureFailures.unchecked(failure);
            }
        }
        Moment before = house.time().now();
        return concluded(ask, house.batches().submits().call(ask.request), before);
    }

    CompletionStage<Submission> submitAsync(RunRequest request) {
        return submit(ask(request, null));
    }

    CompletionStage<Submission> submitAsync(RunRequest request, RemoteWork.Caller caller) {
        RunRequest byCaller = request.execution(Execution.CALLER);
        return submit(ask(byCaller, new SubmitRequest.Caller(caller.lease(), caller.holder())));
    }

    private CompletableFuture<Submission> submit(Ask ask) {
        // The code behind a remote call is ours: it is quick, and another thread would cost more than it does.
        Executor callbacks = ask.remote ? Runnable::run : house.threads()::tell;
        return new SubmitAttempt(
                        house, ask.retry, ask.request, callbacks, (answer, before) -> concluded(ask, answer, before))
                .begin();
    }

    private Ask ask(RunRequest request, SubmitRequest.@Nullable Caller remote) {
        house.requireOpen();
        limit.require(request.key().tenant());
        boolean byCaller = request.execution() == Execution.CALLER;
        Job job = byCaller
                ? house.turns().job(request.job())
                : house.settings().jobs().require(request.job());
        Environment environment = house.settings().environment();
        SubmitRequest.Caller caller = remote;
        if (byCaller && caller == null) {
            caller = new SubmitRequest.Caller(
                    LeaseId.random(environment.random()), house.settings().holder());
        }
        SubmitRequest asked = new SubmitRequest(
                RunId.create(environment.clock(), environment.random()),
                request.key(),
                spec(request, job),
                idempotency(request),
                caller,
                house.settings().line(job, request.key().tenant()));
        asked.spec().terms().within(house.settings().store().capabilities().maxLease());
        return new Ask(request, asked, request.conflictRetry().orElse(job.conflictRetry()), remote != null);
    }

    private RunSpec spec(RunRequest request, Job job) {
        LeaseTerms terms = new LeaseTerms(
                request.lease().orElse(job.terms().ttl()), job.terms().lockDelay());
        RunLimits limits = new RunLimits(
                request.maxWait().orElse(job.limits().maxWait()),
                request.maxRuntime().orElse(job.limits().maxRuntime()),
                job.limits().expiryGrace());
        Origin origin = new Origin(
                request.submitter().orElse(house.settings().holder().label()),
                request.reason().orElse(null),
                request.correlation().orElse(null),
                request.trace().orElse(null));
        return new RunSpec(
                job.name(),
                request.policy().orElse(job.policy()),
                request.execution(),
                request.priority(),
                request.parameters(),
                request.labels(),
                terms,
                limits,
                job.retry(),
                job.guard(),
                origin);
    }

    private SubmitRequest.@Nullable Idempotency idempotency(RunRequest request) {
        return request.idempotencyKey()
                .map(key -> new SubmitRequest.Idempotency(
                        key,
                        request.fingerprint().orElseGet(() -> Fingerprint.of(request)),
                        house.settings().keepIdempotency()))
                .orElse(null);
    }

    private Submission concluded(Ask ask, SubmitAnswer answer, Moment before) {
        if (answer instanceof SubmitAnswer.Started || answer instanceof SubmitAnswer.Queued) {
            limit.added(ask.request.key().tenant());
        }
        if (answer instanceof SubmitAnswer.Started started) {
            return started(ask, started, before);
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return queued(ask, queued);
        }
        if (answer instanceof SubmitAnswer.Joined joined) {
            house.events().tell(new EngineEvent.RunJoined(joined.run()));
            count(ask, RefusalCount.Outcome.JOINED, joined.run().id().toString());
            return new Submission.Joined(joined.run());
        }
        if (answer instanceof SubmitAnswer.Duplicate duplicate) {
            house.events().tell(new EngineEvent.RunRepeated(duplicate.run()));
            count(ask, RefusalCount.Outcome.DUPLICATE, duplicate.run().id().toString());
            return new Submission.Duplicate(duplicate.run());
        }
        if (answer instanceof SubmitAnswer.Mismatch mismatch) {
            throw new IdempotencyMismatchException(ask.wanted.idempotencyKey().orElse(""), mismatch.run());
        }
        return refused(ask, ((SubmitAnswer.Refused) answer).refusal());
    }

    private Submission started(Ask ask, SubmitAnswer.Started started, Moment before) {
        Run run = started.run();
        house.events().tell(new EngineEvent.RunSubmitted(run));
        if (started.lease() == null) {
            house.workers().wake();
            return new Submission.Started(run, null, null);
        }
        if (ask.remote) {
            house.events().tell(new EngineEvent.RunStarted(run));
            return new Submission.Started(run, started.lease(), null);
        }
        HeldRun held =
                house.activeRuns().adopt(run, started.lease(), house.turns().job(run.job()), before);
        return new Submission.Started(run, started.lease(), new CallerWork(house, held));
    }

    private Submission queued(Ask ask, SubmitAnswer.Queued queued) {
        Run run = queued.run();
        house.events().tell(new EngineEvent.RunSubmitted(run));
        if (run.spec().policy() != ConflictPolicy.QUEUE) {
            count(ask, RefusalCount.Outcome.REPLACED, run.id().toString());
        }
        SubmitRequest.Caller caller = ask.request.caller();
        if (run.spec().policy() == ConflictPolicy.REPLACE) {
            // If the incumbent is ours, it need not wait for its next heartbeat to hear of it.
            house.activeRuns().under(run.key()).ifPresent(house.heartbeats()::soon);
        }
        if (caller == null || ask.remote || run.state().isTerminal()) {
            return new Submission.Queued(run, queued.position(), null);
        }
        return new Submission.Queued(run, queued.position(), house.turns().turn(run, caller));
    }

    private Submission refused(Ask ask, Refusal refusal) {
        boolean skipped =
                ask.request.spec().policy() == ConflictPolicy.SKIP && !(refusal instanceof RunRefusal.WrongState);
        house.events()
                .tell(new EngineEvent.SubmissionRefused(
                        ask.wanted.key(), ask.wanted.job().value(), skipped, refusal));
        count(ask, skipped ? RefusalCount.Outcome.SKIPPED : RefusalCount.Outcome.REJECTED, refusal.explanation());
        return skipped ? new Submission.Skipped(refusal) : new Submission.Rejected(refusal);
    }

    private void count(Ask ask, RefusalCount.Outcome outcome, String last) {
        house.background().count(ask.wanted.key(), ask.request.spec().policy(), outcome, last);
    }

    /** A request on its way. */
    private record Ask(RunRequest wanted, SubmitRequest request, ConflictRetry retry, boolean remote) {}
}
