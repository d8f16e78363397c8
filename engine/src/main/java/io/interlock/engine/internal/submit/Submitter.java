package io.interlock.engine.internal.submit;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.Sha256;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineTracer;
import io.interlock.engine.Job;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.Submission.IdempotencyMismatchException;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.locks.runtime.Futures;
import io.interlock.run.RefusalCount;
import io.interlock.run.Run;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunSpec.Origin;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.time.Environment;
import io.interlock.time.LocalTime.Moment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Submits runs: fills in what the job and the settings say, asks the store, takes in what was granted, tells listeners and
 * counts. Safe for use by many threads.
 */
public record Submitter(
        EngineSettings settings,
        OpenRunLimit limit,
        SubmitAttempts attempts,
        ActiveRuns activeRuns,
        CallerTurns turns,
        RefusalListener refusals,
        EngineEvents events) {

    /** Told of submissions that started nothing new. */
    @FunctionalInterface
    public interface RefusalListener {

        /** A submission under {@code key} had {@code outcome}; {@code last} says what its caller was told. */
        void refused(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome, String last);
    }

    public Submission submit(RunRequest request) {
        if (settings.work().tracer() != null) {
            return Futures.done(begin(request, null));
        }
        Prepared prepared = prepare(request, null);
        // The calling thread may lead a batch, unless there may be a second question.
        return prepared.retry().times() > 0
                ? Futures.done(begin(prepared, answer -> {}))
                : attempts.once(prepared.request(), (answer, before) -> concluded(prepared, answer, before));
    }

    public CompletionStage<Submission> submitAsync(RunRequest request) {
        return begin(request, null);
    }

    public CompletionStage<Submission> submitAsync(RunRequest request, RemoteWork.Caller caller) {
        RunRequest byCaller = request.execution(Execution.CALLER);
        return begin(byCaller, new SubmitRequest.Caller(caller.lease(), caller.holder()));
    }

    private CompletionStage<Submission> begin(RunRequest request, SubmitRequest.@Nullable Caller remote) {
        EngineTracer tracer = settings.work().tracer();
        if (tracer == null) {
            return begin(prepare(request, remote), answer -> {});
        }
        EngineTracer.Submitting traced = tracer.submitting(request);
        AtomicBoolean open = new AtomicBoolean(true);
        BiConsumer<@Nullable Submission, @Nullable Throwable> end = (answer, failure) -> {
            if (open.getAndSet(false)) {
                traced.ended(answer, failure == null ? null : Futures.cause(failure));
            }
        };
        try {
            // Before the caller is told: what it does then is no part of the submission.
            CompletableFuture<Submission> asked =
                    begin(prepare(traced.request(), remote), answer -> end.accept(answer, null));
            // A caller that gives up has no answer.
            Futures.whenOver(asked, end);
            return asked;
        } catch (RuntimeException | Error failure) {
            traced.ended(null, failure);
            throw failure;
        }
    }

    private CompletableFuture<Submission> begin(Prepared prepared, Consumer<Submission> concluded) {
        return attempts.begin(prepared.request(), prepared.retry(), prepared.remote(), (answer, before) -> {
            Submission submission = concluded(prepared, answer, before);
            concluded.accept(submission);
            return submission;
        });
    }

    /**
     * A request that can be sent.
     *
     * @param remote whether its caller is in another process
     */
    private record Prepared(RunRequest wanted, SubmitRequest request, Job.ConflictRetry retry, boolean remote) {}

    /** Prepares {@code request}, for a caller in another process unless {@code remote} is {@code null}. */
    private Prepared prepare(RunRequest request, SubmitRequest.@Nullable Caller remote) {
        limit.admit(request.key().tenant());
        boolean byCaller = request.execution() == Execution.CALLER;
        Job job = byCaller
                ? settings.work().job(request.job())
                : settings.work().jobs().require(request.job());
        Environment environment = settings.work().environment();
        SubmitRequest.Caller caller = remote;
        if (byCaller && caller == null) {
            caller = new SubmitRequest.Caller(
                    LeaseId.random(environment.random()), settings.work().holder());
        }
        SubmitRequest asked = new SubmitRequest(
                RunId.create(environment.clock(), environment.random()),
                request.key(),
                spec(request, job),
                idempotency(request),
                caller,
                settings.limits(job, request.key().tenant()));
        return new Prepared(request, asked, request.conflictRetry().orElse(job.conflictRetry()), remote != null);
    }

    private LeaseTerms terms(RunRequest request, Job job) {
        try {
            return new LeaseTerms(
                            request.lease().orElse(job.terms().ttl()),
                            job.terms().lockDelay())
                    .within(settings.store().capabilities().maxLease());
        } catch (InvalidSettingException invalid) {
            throw invalid.named("lease");
        }
    }

    private RunSpec spec(RunRequest request, Job job) {
        LeaseTerms terms = terms(request, job);
        RunLimits limits = new RunLimits(
                request.maxWait().orElse(job.limits().maxWait()),
                request.maxRuntime().orElse(job.limits().maxRuntime()),
                job.limits().expiryGrace());
        Origin origin = new Origin(
                request.submitter().orElse(settings.work().holder().label()),
                request.reason().orElse(null),
                request.correlation().orElse(null),
                request.trace().orElse(null),
                request.address().orElse(null));
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
                        key, request.fingerprint().orElseGet(() -> fingerprint(request)), settings.keepIdempotency()))
                .orElse(null);
    }

    private Submission concluded(Prepared prepared, SubmitAnswer answer, Moment before) {
        if (answer instanceof SubmitAnswer.Started || answer instanceof SubmitAnswer.Queued) {
            limit.added(prepared.request());
        }
        if (answer instanceof SubmitAnswer.Started started) {
            return started(prepared, started, before);
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return queued(prepared, queued);
        }
        if (answer instanceof SubmitAnswer.Joined joined) {
            events.tell(new EngineEvent.RunJoined(joined.run()));
            count(prepared, RefusalCount.Outcome.JOINED, joined.run().id().toString());
            return new Submission.Joined(joined.run());
        }
        if (answer instanceof SubmitAnswer.Duplicate duplicate) {
            events.tell(new EngineEvent.RunRepeated(duplicate.run()));
            count(prepared, RefusalCount.Outcome.DUPLICATE, duplicate.run().id().toString());
            return new Submission.Duplicate(duplicate.run());
        }
        if (answer instanceof SubmitAnswer.Mismatch mismatch) {
            throw new IdempotencyMismatchException(
                    prepared.wanted().idempotencyKey().orElse(""), mismatch.run());
        }
        return refused(prepared, ((SubmitAnswer.Refused) answer).refusal());
    }

    private Submission started(Prepared prepared, SubmitAnswer.Started started, Moment before) {
        Run run = started.run();
        events.tell(new EngineEvent.RunSubmitted(run));
        if (started.lease() == null) {
            events.workAppeared();
            return new Submission.Started(run, null, null);
        }
        if (prepared.remote()) {
            events.tell(new EngineEvent.RunStarted(run));
            return new Submission.Started(run, started.lease(), null);
        }
        return new Submission.Started(run, started.lease(), turns.adopt(run, started.lease(), before));
    }

    private Submission queued(Prepared prepared, SubmitAnswer.Queued queued) {
        Run run = queued.run();
        events.tell(new EngineEvent.RunSubmitted(run));
        if (run.spec().policy() != ConflictPolicy.QUEUE) {
            count(prepared, RefusalCount.Outcome.REPLACED, run.id().toString());
        }
        SubmitRequest.Caller caller = prepared.request().caller();
        if (run.spec().policy() == ConflictPolicy.REPLACE) {
            // If the incumbent is held here, its next heartbeat comes at once and brings the request to stop.
            activeRuns.hurry(run.key());
        }
        if (caller == null || prepared.remote() || run.state().isTerminal()) {
            return new Submission.Queued(run, queued.position(), null);
        }
        return new Submission.Queued(run, queued.position(), turns.turn(run, caller.lease()));
    }

    private Submission refused(Prepared prepared, Refusal refusal) {
        boolean skipped = prepared.request().spec().policy() == ConflictPolicy.SKIP
                && !(refusal instanceof RunRefusal.WrongState);
        events.tell(new EngineEvent.SubmissionRefused(
                prepared.wanted().key(), prepared.wanted().job().value(), skipped, refusal));
        count(prepared, skipped ? RefusalCount.Outcome.SKIPPED : RefusalCount.Outcome.REJECTED, refusal.explanation());
        return skipped ? new Submission.Skipped(refusal) : new Submission.Rejected(refusal);
    }

    private void count(Prepared prepared, RefusalCount.Outcome outcome, String last) {
        refusals.refused(prepared.wanted().key(), prepared.request().spec().policy(), outcome, last);
    }

    /**
     * What a request asks for, as a hash: the same words give the same one, on every machine and after every restart. Who asks, and why,
     * is no part of it.
     */
    private static String fingerprint(RunRequest request) {
        MessageDigest digest = Sha256.begin();
        put(digest, request.key().encoded());
        put(digest, request.job().value());
        put(digest, request.execution().name());
        put(digest, request.policy().map(Enum::name).orElse(""));
        put(digest, Integer.toString(request.priority()));
        put(digest, text(request.maxWait()));
        put(digest, text(request.lease()));
        put(digest, text(request.maxRuntime()));
        put(digest, request.parameters());
        new TreeMap<>(request.labels()).forEach((name, value) -> {
            put(digest, name);
            put(digest, value);
        });
        return HexFormat.of().formatHex(digest.digest());
    }

    // With its length in front, so that no two lists of texts look alike.
    private static void put(MessageDigest digest, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
    }

    private static String text(Optional<Duration> duration) {
        return duration.map(Duration::toString).orElse("");
    }
}
