package io.interlock.server.compat;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.TimeText;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
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
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.interlock.server.problem.Refusals;
import io.interlock.service.EngineService;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What compatible APIs have in common where they ask for runs and show them. */
public final class CompatRuns {

    private CompatRuns() {}

    /** Asks for a run of {@code job} under {@code key}, in the caller's name. */
    public static RunRequest request(Call call, LockKey key, JobSettings job) {
        RunRequest request = RunRequest.of(key, job.job().name()).submitter(call.actor());
        return call.traceparent().map(request::trace).orElse(request);
    }

    /** The run called {@code id}, if it is the caller's tenant's and its key begins with {@code prefix}. Blocks. */
    public static Run require(OperationContext context, Call call, String what, String prefix) {
        String id = call.required("id", String.class);
        Optional<Run> run;
        try {
            run = context.engine().find(RunId.parse(id));
        } catch (IllegalArgumentException malformed) {
            run = Optional.empty();
        }
        return run.filter(found -> found.key().tenant().equals(call.tenant())
                        && found.key().name().startsWith(prefix))
                .orElseThrow(() -> Call.notFound(what, id));
    }

    /** The answer to a request that was refused. */
    public static CompletionStage<Reply> refused(OperationContext context, Refusal refusal) {
        return context.blocking().call(refusal.key().tenant(), () -> Reply.refused(problem(context, refusal)));
    }

    /** The problem that {@code refusal} is. Blocks. */
    public static Problem problem(OperationContext context, Refusal refusal) {
        return Refusals.of(
                refusal, EngineService.view(context.engine(), refusal.key()).orElse(null));
    }

    /** When its last attempt started. */
    public static Optional<Instant> startedAt(Run run) {
        return run.status().lastTurn().map(turn -> turn.startedAt());
    }

    public static Optional<Instant> endedAt(Run run) {
        return run.state().isTerminal() ? Optional.of(run.status().since()) : Optional.empty();
    }

    /** The stage it is at, if it says so. */
    public static @Nullable String stage(Run run) {
        return run.status().currentStage().map(Stage::name).orElse(null);
    }

    /** How far it says it is, if it does. */
    public static @Nullable JsonObject progress(Run run) {
        Progress progress = run.status().progress();
        if (progress.equals(Progress.NONE)) {
            return null;
        }
        JsonObject json = new JsonObject().put("done", progress.done());
        progress.whole().ifPresent(total -> json.put("total", total));
        return json;
    }

    /** Why it or its last attempt did not succeed, if it did not. */
    public static @Nullable JsonObject error(Run run) {
        RunError error = run.status().error();
        return error == null ? null : new JsonObject().put("code", error.code()).put("message", error.message());
    }

    public static @Nullable String time(Optional<Instant> time) {
        return time.map(TimeText::format).orElse(null);
    }

    /** Which jobs can be started through which compatible API. Immutable. */
    public static final class CompatJobs {

        private final List<JobSettings> jobs;

        /** Those of {@code jobs} that have a compatible API. */
        public CompatJobs(Collection<JobSettings> jobs) {
            this.jobs = List.copyOf(jobs);
        }

        public List<JobSettings> of(CompatApi api) {
            return jobs.stream().filter(job -> job.api() == api).toList();
        }

        /** The job of a compatible API that is called so. */
        public Optional<JobSettings> find(CompatApi api, String name) {
            return of(api).stream().filter(job -> job.name().equals(name)).findFirst();
        }

        /** The job of a compatible API that a type stands for: {@code SCALE_WORKERS} is also the job {@code scale-workers}. */
        public Optional<JobSettings> ofType(CompatApi api, String type) {
            return find(api, type)
                    .or(() -> of(api).stream()
                            .filter(job -> type(job.name()).equals(type(type)))
                            .findFirst());
        }

        /** A job's name as a type. */
        public static String type(String name) {
            return name.toUpperCase(Locale.ROOT).replace('-', '_');
        }
    }

    private static final int MOST_KEYS = 10_000;

    /** {@code key}, if it is held: by a lease that has not ended, or for a run. */
    public static Optional<KeyView> held(RunEngine engine, LockKey key) {
        return EngineService.view(engine, key).filter(CompatRuns::isHeld);
    }

    /** All keys of a tenant that begin with {@code prefix} and are held. */
    public static List<KeyView> allHeld(RunEngine engine, String tenant, String prefix) {
        List<KeyView> held = new ArrayList<>();
        KeyQuery query = new KeyQuery(tenant, prefix, null, RunQuery.MAX_LIMIT);
        while (true) {
            List<KeyView> page = engine.queries().keys(query);
            page.stream().filter(CompatRuns::isHeld).forEach(held::add);
            if (page.size() < query.limit() || held.size() >= MOST_KEYS) {
                return held;
            }
            String last = page.get(page.size() - 1).key().name();
            query = new KeyQuery(tenant, prefix, last, RunQuery.MAX_LIMIT);
        }
    }

    /**
     * When {@code view}'s key opens by itself, unless its holder renews its lease: the end of that lease; while the key is kept for a run no
     * worker has taken yet, the end of that run's wait. Empty only for a run that waits for ever.
     */
    public static Optional<Instant> opensAt(KeyView view) {
        return view.currentLease()
                .map(LeaseRecord::expiresAt)
                .or(() -> view.currentRun()
                        .flatMap(run ->
                                run.spec().limits().waitLimit().map(run.status().since()::plus)));
    }

    private static boolean isHeld(KeyView view) {
        return view.lease() == null ? view.run() != null : !view.lease().isExpired();
    }

    /**
     * Evicts the holder of the key, if its token is still the one of the query, else the one the key has now. A run that the key is only
     * kept for has no token yet and is cancelled.
     */
    public static Reply release(RunEngine engine, Call call, LockKey key) {
        String reason = call.required("reason", String.class);
        KeyView view = held(engine, key).orElseThrow(() -> free(key));
        LeaseRecord lease = view.lease();
        Run run = view.run();
        Optional<FencingToken> named = call.optional("token", Number.class).map(n -> new FencingToken(n.longValue()));
        if (lease == null && run != null && named.isEmpty()) {
            engine.cancel(run.id(), call.actor(), reason);
            return Reply.ok(new JsonObject().putNull("releasedToken"));
        }
        FencingToken token =
                named.or(() -> view.currentLease().map(LeaseRecord::token)).orElseThrow(() -> free(key));
        EvictAnswer answer = engine.evict(key, token, call.actor(), reason);
        if (answer instanceof EvictAnswer.Evicted evicted) {
            return Reply.ok(new JsonObject()
                    .put("releasedToken", evicted.victim().token().value()));
        }
        LeaseRecord now = ((EvictAnswer.Mismatch) answer).holder().orElseThrow(() -> free(key));
        throw Problem.of(ProblemCode.TOKEN_STALE, key.name() + " has token " + now.token() + ", not " + token + ".")
                .with("currentToken", now.token().value());
    }

    private static RuntimeException free(LockKey key) {
        return Problem.of(ProblemCode.NOT_FOUND, key.name() + " is not held.");
    }
}
