package io.interlock.server.compat;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunQuery;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.service.Facts;
import io.interlock.service.LockService;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.interlock.service.RefusalFacts;
import io.interlock.service.RunFacts;
import io.interlock.service.RunService;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The jobs of one compatible API, and what these APIs have in common where they ask for runs and show them. Immutable. */
final class CompatRuns {

    private static final int MOST_KEYS = 10_000;

    private final OperationContext context;
    private final List<JobSettings> jobs;

    /** For those of {@code jobs} that {@code api} starts. */
    CompatRuns(OperationContext context, CompatApi api, Collection<JobSettings> jobs) {
        this.context = context;
        this.jobs = jobs.stream().filter(job -> job.api() == api).toList();
    }

    OperationContext context() {
        return context;
    }

    RunEngine engine() {
        return context.engine();
    }

    List<JobSettings> jobs() {
        return jobs;
    }

    Optional<JobSettings> job(String name) {
        return jobs.stream().filter(job -> job.name().equals(name)).findFirst();
    }

    /** The job that a type stands for: {@code SCALE_WORKERS} is also the job {@code scale-workers}. */
    Optional<JobSettings> jobOfType(String type) {
        return job(type)
                .or(() -> jobs.stream()
                        .filter(job -> type(job.name()).equals(type(type)))
                        .findFirst());
    }

    /** A job's name as a type. */
    static String type(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Asks for a run of {@code job} under {@code key}, in the caller's name. */
    static RunRequest request(Call call, LockKey key, JobSettings job) {
        RunRequest request = RunRequest.of(key, job.job().name()).submitter(call.actor());
        return call.traceparent().map(request::trace).orElse(request);
    }

    /** Submits {@code request}, unless the client goes away before it is answered. */
    CompletionStage<Submission> submit(Call call, RunRequest request) {
        return context.waits().until(call, context.engine().submitAsync(request));
    }

    /** The run called {@code id}, if it is the caller's tenant's and its key begins with {@code prefix}. Blocks. */
    Run require(Call call, String what, String prefix) {
        String id = call.required("id", String.class);
        return RunService.id(id)
                .flatMap(engine()::find)
                .filter(found -> found.key().tenant().equals(call.tenant())
                        && found.key().name().startsWith(prefix))
                .orElseThrow(() -> Problem.notFound(what, id));
    }

    /** The newest run of {@code query}. Blocks. */
    Optional<Run> newest(RunQuery query) {
        return engine().list(query.newestFirst().page(0, 1)).runs().stream().findFirst();
    }

    /** The answer to a request that was refused. */
    CompletionStage<Reply> refused(Refusal refusal) {
        return context.blocking().call(refusal.key().tenant(), () -> Reply.refused(problem(refusal)));
    }

    /** The problem that {@code refusal} is. Blocks. */
    Problem problem(Refusal refusal) {
        return RefusalFacts.exception(
                refusal, LockService.view(engine(), refusal.key()).orElse(null));
    }

    /** When the last attempt of {@code run} started; {@code null} if none did. */
    static @Nullable Instant startedAt(Run run) {
        return run.status().lastTurn().map(Turn::startedAt).orElse(null);
    }

    static @Nullable Instant endedAt(Run run) {
        return run.state().isTerminal() ? run.status().since() : null;
    }

    /** The stage it is at, if it says so. */
    static @Nullable String stage(Run run) {
        return run.status().currentStage().map(Stage::name).orElse(null);
    }

    /** How far it says it is, if it does. */
    static @Nullable Facts progress(Run run) {
        Progress progress = run.status().progress();
        return progress.equals(Progress.NONE)
                ? null
                : Facts.with("done", progress.done()).and("total", progress.total());
    }

    /** Why it or its last attempt did not succeed, if it did not. */
    static @Nullable Facts error(Run run) {
        RunError error = run.status().error();
        return error == null ? null : RunFacts.error(error);
    }

    /** {@code key}, if it is held: by a lease that has not ended, or for a run. Blocks. */
    Optional<KeyView> held(LockKey key) {
        return LockService.view(engine(), key).filter(CompatRuns::isHeld);
    }

    /** All keys of a tenant that begin with {@code prefix} and are held. Blocks. */
    List<KeyView> allHeld(String tenant, String prefix) {
        List<KeyView> held = new ArrayList<>();
        KeyQuery query = new KeyQuery(tenant, prefix, null, RunQuery.MAX_LIMIT);
        while (true) {
            List<KeyView> page = engine().queries().keys(query);
            page.stream().filter(CompatRuns::isHeld).forEach(held::add);
            if (page.size() < query.limit() || held.size() >= MOST_KEYS) {
                return held;
            }
            String last = page.get(page.size() - 1).key().name();
            query = new KeyQuery(tenant, prefix, last, RunQuery.MAX_LIMIT);
        }
    }

    private static boolean isHeld(KeyView view) {
        return view.lease() == null ? view.run() != null : !view.lease().isExpired();
    }

    /** The run that has the key, if one has. */
    static Optional<RunId> runOf(KeyView view) {
        return view.currentLease()
                .flatMap(lease -> lease.holder().runId())
                .or(() -> view.currentRun().map(Run::id));
    }

    /** Since when the key is held, or kept for a run. */
    static Optional<Instant> since(KeyView view) {
        return view.currentLease()
                .map(LeaseRecord::grantedAt)
                .or(() -> view.currentRun().map(run -> run.status().since()));
    }

    /**
     * When {@code view}'s key opens by itself, unless its holder renews its lease: the end of that lease; while the key is kept for a run no
     * worker has taken yet, the end of that run's wait. Empty only for a run that waits for ever.
     */
    static Optional<Instant> opensAt(KeyView view) {
        return view.currentLease()
                .map(LeaseRecord::expiresAt)
                .or(() -> view.currentRun()
                        .flatMap(run -> Optional.ofNullable(run.spec().limits().maxWait())
                                .map(run.status().since()::plus)));
    }

    /**
     * Evicts the holder of the key, if its token is still the one of the query, else the one the key has now. A run that the key is only
     * kept for has no token yet and is cancelled. Blocks.
     */
    Reply release(Call call, LockKey key) {
        String reason = call.required("reason", String.class);
        KeyView view = held(key).orElseThrow(() -> free(key));
        LeaseRecord lease = view.lease();
        Run run = view.run();
        Optional<FencingToken> named = call.optional("token", Number.class).map(n -> new FencingToken(n.longValue()));
        if (lease == null && run != null && named.isEmpty()) {
            engine().cancel(run.id(), call.actor(), reason);
            return Reply.ok(Facts.none().orNull("releasedToken", null));
        }
        FencingToken token =
                named.or(() -> view.currentLease().map(LeaseRecord::token)).orElseThrow(() -> free(key));
        EvictAnswer answer = engine().evict(key, token, call.actor(), reason);
        if (answer instanceof EvictAnswer.Evicted evicted) {
            return Reply.ok(Facts.with("releasedToken", evicted.victim().token().value()));
        }
        LeaseRecord now = ((EvictAnswer.Mismatch) answer).holder().orElseThrow(() -> free(key));
        throw Problem.of(ProblemCode.TOKEN_STALE, key.name() + " has token " + now.token() + ", not " + token + ".")
                .with("currentToken", now.token().value());
    }

    private static RuntimeException free(LockKey key) {
        return Problem.of(ProblemCode.NOT_FOUND, key.name() + " is not held.");
    }
}
