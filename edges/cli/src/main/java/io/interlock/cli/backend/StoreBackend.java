package io.interlock.cli.backend;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.Json;
import io.interlock.engine.Jobs;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.access.KeyRing;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.audit.AuditVerifier;
import io.interlock.locks.LeaseClient;
import io.interlock.run.AuditQuery;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.JobName;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunQuery;
import io.interlock.run.RunSpec.Execution;
import io.interlock.service.AdminFacts;
import io.interlock.service.EngineService;
import io.interlock.service.Facts;
import io.interlock.service.FilteredPage;
import io.interlock.service.HistoryFacts;
import io.interlock.service.LockFacts;
import io.interlock.service.PastTime;
import io.interlock.service.RunFacts;
import io.interlock.service.RunPages;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Works on a store of runs. Its engine takes no work and runs no background services, so that a short command starts quickly; a long one
 * sweeps now and then, because there may be no server that does.
 */
public final class StoreBackend implements Backend {

    private static final Duration SWEEP_EVERY = Duration.ofMinutes(1);
    private static final Duration DRAIN_TIME = Duration.ofSeconds(2);

    private final Target target;
    private final OpenStore store;
    private final RunEngine engine;
    private final EngineService service;

    /**
     * Which store, and for which tenant.
     *
     * @param url of the store, with its password
     */
    public record Target(String url, String tenant, String actor, Environment environment) {

        LockKey key(String name) {
            return LockKey.of(tenant, name);
        }

        LeaseClient leases() {
            return LeaseClient.open(url, environment);
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "a store, for tenant " + tenant;
        }
    }

    private StoreBackend(Target target, OpenStore store, RunEngine engine) {
        this.target = target;
        this.store = store;
        this.engine = engine;
        this.service = new EngineService(engine, Json::foreign);
    }

    /** Opens a store; sweeps keep history for {@code retention}. */
    public static StoreBackend open(Target target, Jobs jobs, Retention retention) {
        OpenStore store = OpenStore.at(target.url(), target.environment());
        RunEngine engine = store.engine()
                .jobs(jobs)
                .slots(0)
                .withoutBooks()
                .retention(retention)
                .sweepEvery(SWEEP_EVERY)
                .drainTime(DRAIN_TIME)
                .build();
        return new StoreBackend(target, store, engine);
    }

    @Override
    public KeyAcquirer acquirer() {
        return new RunKeyAcquirer(this, new EngineRuns(), target.environment(), target.actor());
    }

    @Override
    public RunApi runs() {
        return new StoreRuns();
    }

    @Override
    public BareLeases leases() {
        return new BareLeases(target::leases);
    }

    @Override
    public KeyApi keys() {
        return new StoreKeys(store.keys(Runnable::run));
    }

    @Override
    public AdminApi admin() {
        return new StoreAdmin();
    }

    @Override
    public void close() {
        engine.close();
        store.close();
    }

    /** The answer to an eviction. */
    static EvictAnswer.Evicted evicted(LockKey key, long token, EvictAnswer answer) {
        if (answer instanceof EvictAnswer.Evicted evicted) {
            return evicted;
        }
        LeaseRecord current = ((EvictAnswer.Mismatch) answer).current();
        throw new Failure(
                ExitCode.STALE,
                "token-stale",
                key + (current == null ? " has no lease" : " has token " + current.token() + " by now, not " + token),
                "look at its holder: interlock locks show " + key.name());
    }

    private final class EngineRuns implements RunKeyAcquirer.Runs {

        @Override
        public Submission submit(RunRequest request) {
            return engine.submit(request);
        }

        @Override
        public void cancel(RunId run, String reason) {
            engine.cancel(run, target.actor(), reason);
        }
    }

    @Override
    public List<Facts> locks(String prefix) {
        return engine.queries().keys(new KeyQuery(target.tenant(), prefix, null, MAX_LISTED)).stream()
                .map(LockFacts::of)
                .toList();
    }

    @Override
    public Facts lock(String name) {
        return service.lock(target.key(name));
    }

    @Override
    public Facts evict(String name, long token, String reason) {
        LockKey key = target.key(name);
        EvictAnswer answer = engine.evict(key, new FencingToken(token), target.actor(), reason);
        return service.evicted(key, evicted(key, token, answer));
    }

    @Override
    public Facts pause(String pattern, String reason, @Nullable Duration time) {
        return LockFacts.pause(engine.pause(target.tenant(), pattern, target.actor(), reason, time));
    }

    @Override
    public void resume(String pattern, String reason) {
        if (!engine.resume(target.tenant(), pattern, target.actor(), reason)) {
            throw Failure.unknown(
                    "'" + pattern + "' is not paused",
                    "name the key or pattern as it was paused; locks ls shows PAUSED keys");
        }
    }

    /** One key, or a prefix of several; neither for all. */
    private record Keys(@Nullable LockKey one, String prefix) {}

    private Keys keysOf(Facts filter) {
        String written = filter.shown("key");
        if (written.isEmpty()) {
            return new Keys(null, "");
        }
        return written.endsWith("*")
                ? new Keys(null, written.substring(0, written.length() - 1))
                : new Keys(target.key(written), "");
    }

    private static <Q, V> Q with(Q query, Optional<V> value, BiFunction<Q, V, Q> more) {
        return value.map(given -> more.apply(query, given)).orElse(query);
    }

    private @Nullable Instant past(Facts filter, String name) {
        return filter.text(name)
                .map(time -> PastTime.parse(time, target.environment().clock().instant()))
                .orElse(null);
    }

    private final class StoreRuns implements RunApi {

        @Override
        public List<Facts> list(Facts filter, int limit) {
            Keys keys = keysOf(filter);
            Instant failedSince = past(filter, "failedSince");
            String error = filter.text("error").orElse(null);
            RunQuery query = RunQuery.ofTenant(target.tenant()).newestFirst().page(0, limit);
            query = with(query, Optional.ofNullable(keys.one()), RunQuery::of);
            query = with(query, filter.text("job").map(JobName::new), RunQuery::doing);
            query = with(query, Optional.ofNullable(past(filter, "since")), RunQuery::since);
            query = with(query, filter.text("label").map(StoreRuns::label), RunQuery::with);
            if (error != null || failedSince != null) {
                query = query.failing(new RunQuery.Failure(failedSince, error, false));
            }
            Set<RunState> states =
                    filter.text("state").map(RunState::valueOf).map(Set::of).orElse(Set.of());
            String holder = filter.text("holder").orElse(null);
            return service.runs(target.tenant(), all(query, new RunPages.Also(states, keys.prefix(), holder)));
        }

        private static RunQuery.Label label(String written) {
            String[] parts = written.split("=", 2);
            return new RunQuery.Label(parts[0], parts[1]);
        }

        /** As many runs as a page has, however many pages are looked through for them. */
        private List<Run> all(RunQuery query, RunPages.Also also) {
            RunPages pages = new RunPages(engine);
            FilteredPage<Run> page = pages.page(query, also);
            List<Run> found = new ArrayList<>(page.items());
            for (Run last = page.last(); last != null && found.size() < query.limit(); last = page.last()) {
                page = pages.page(query.page(last.number(), query.limit()), also);
                found.addAll(page.items());
            }
            return found.size() > query.limit() ? found.subList(0, query.limit()) : found;
        }

        @Override
        public List<Facts> dead(@Nullable String job, int limit) {
            RunQuery open = RunQuery.ofTenant(target.tenant())
                    .newestFirst()
                    .page(0, limit)
                    .failing(new RunQuery.Failure(null, null, true))
                    .in(RunState.DEAD);
            return engine.list(job == null ? open : open.doing(new JobName(job))).runs().stream()
                    .map(RunFacts::of)
                    .toList();
        }

        @Override
        public Facts show(String id) {
            return service.run(require(id), true);
        }

        @Override
        public Facts await(String id, Duration maxWait) throws InterruptedException {
            engine.awaitEnd(require(id).id(), maxWait);
            return show(id);
        }

        @Override
        public List<Facts> queue(@Nullable String key) {
            if (key != null) {
                return queued(target.key(key));
            }
            return engine.queries().keys(KeyQuery.ofTenant(target.tenant())).stream()
                    .filter(view -> view.waiting() > 0)
                    .flatMap(view -> queued(view.key()).stream())
                    .toList();
        }

        private List<Facts> queued(LockKey key) {
            return service.line(LineQuery.front(key, MAX_LISTED), LineQuery.Place::toString).list("items").stream()
                    .map(waiter -> waiter.and("key", key.name()))
                    .toList();
        }

        @Override
        public Facts submit(Facts wish) {
            RunRequest request = RunRequest.of(target.key(wish.shown("key")), wish.shown("job"))
                    .parameters(wish.shown("parameters"))
                    .priority((int) wish.number("priority").orElse(0))
                    .submitter(target.actor());
            request = with(request, wish.text("onConflict").map(ConflictPolicy::valueOf), RunRequest::onConflict);
            request = with(request, wish.text("reason"), RunRequest::reason);
            request = with(request, wish.text("idempotencyKey"), RunRequest::idempotencyKey);
            return submitted(engine.submit(request));
        }

        @Override
        public Facts order(Order order, String id, String reason) {
            Run run = require(id);
            return switch (order) {
                case RERUN -> rerun(run, reason);
                case CANCEL -> cancel(run, reason);
                case FRONT -> front(run, reason);
                case REDRIVE -> redrive(run, reason);
                case DISCARD -> discard(run, reason);
            };
        }

        private Facts rerun(Run run, String reason) {
            if (run.spec().execution() == Execution.CALLER) {
                throw RunApi.doneByCaller(run.id().toString(), run.key().name());
            }
            return submitted(engine.submit(
                    EngineService.again(run).submitter(target.actor()).reason(reason)));
        }

        private Facts submitted(Submission answer) {
            if (answer instanceof Submission.Rejected rejected) {
                throw new Failure(
                        ExitCode.BUSY,
                        rejected.refusal().code(),
                        answer.explanation(),
                        "interlock locks show " + answer.key().name() + "; or submit with --on-conflict queue");
            }
            Integer position = answer instanceof Submission.Queued queued ? queued.position() : null;
            return answer.run()
                    .map(run -> RunFacts.of(run, answer.explanation()))
                    .orElseGet(() -> Facts.with("key", answer.key().name())
                            .and("state", "SKIPPED")
                            .and("explanation", answer.explanation()))
                    .and("position", position);
        }

        private Facts cancel(Run run, String reason) {
            CancelAnswer answer = engine.cancel(run.id(), target.actor(), reason);
            if (answer instanceof CancelAnswer.Over over) {
                throw finished(over.run());
            }
            return show(run.id().toString());
        }

        private Facts front(Run run, String reason) {
            MoveAnswer answer = engine.moveToFront(run.id(), Actor.of(target.actor()), reason);
            if (answer instanceof MoveAnswer.NotWaiting still
                    && still.run().state().isTerminal()) {
                throw finished(still.run());
            }
            return show(run.id().toString());
        }

        private Failure finished(Run run) {
            return new Failure(
                    ExitCode.STALE,
                    "run-finished",
                    "run " + run.id() + " has ended before: " + run.state(),
                    "there is nothing to do");
        }

        private Facts redrive(Run run, String reason) {
            RedriveAnswer answer = engine.deadLetters().redrive(run.id(), target.actor(), reason);
            if (answer instanceof RedriveAnswer.Redriven redriven) {
                return RunFacts.of(redriven.run());
            }
            if (answer instanceof RedriveAnswer.Refused refused) {
                Refusal refusal = refused.refusal();
                throw new Failure(ExitCode.BUSY, refusal.code(), refusal.explanation(), "try again later");
            }
            if (answer instanceof RedriveAnswer.Settled settled) {
                String how = settled.letter()
                        .settled()
                        .map(done -> ": " + done.actor() + " " + done.kind() + " it, " + done.reason())
                        .orElse("");
                throw new Failure(
                        ExitCode.STALE, "dead letter " + run.id() + " is settled" + how, "there is nothing to do");
            }
            if (answer instanceof RedriveAnswer.CallersWork) {
                throw new Failure(
                        ExitCode.FAILED,
                        "run " + run.id() + " was done by its caller, and no worker can do it",
                        "run it again yourself");
            }
            throw answer instanceof RedriveAnswer.NotDead alive
                    ? notDead(alive.run())
                    : unknown(run.id().toString());
        }

        private Facts discard(Run run, String reason) {
            DiscardAnswer answer = engine.deadLetters().discard(run.id(), target.actor(), reason);
            if (answer instanceof DiscardAnswer.Settled settled) {
                return RunFacts.of(settled.letter().run());
            }
            throw answer instanceof DiscardAnswer.NotDead alive
                    ? notDead(alive.run())
                    : unknown(run.id().toString());
        }

        private Failure notDead(Run run) {
            return new Failure(
                    ExitCode.STALE,
                    "run " + run.id() + " is no dead letter but " + run.state(),
                    "interlock dead ls lists the dead letters");
        }

        private Run require(String id) {
            return parsed(id)
                    .flatMap(engine::find)
                    .filter(run -> run.key().tenant().equals(target.tenant()))
                    .orElseThrow(() -> unknown(id));
        }

        private Failure unknown(String id) {
            return Failure.unknown(
                    "tenant " + target.tenant() + " has no run called '" + id + "'",
                    "interlock runs ls lists the runs");
        }
    }

    private static Optional<RunId> parsed(String id) {
        try {
            return Optional.of(RunId.parse(id));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    private final class StoreAdmin implements AdminApi {

        @Override
        public Facts resource(String name) {
            return engine.resource(target.key(name))
                    .map(AdminFacts::resource)
                    .orElseThrow(() -> Failure.unknown(
                            "'" + name + "' is no resource", "interlock resources set adopts one that exists already"));
        }

        @Override
        public Facts setResource(String name, String state, @Nullable String kind, String reason) {
            ResourceAnswer answer =
                    service.setResource(target.key(name), state, kind, Actor.of(target.actor()), reason);
            if (answer instanceof ResourceAnswer.Changed changed) {
                return AdminFacts.resource(changed.resource());
            }
            throw new Failure(
                    ExitCode.BUSY,
                    "the state of '" + name + "' is set only while its key is free",
                    "wait for its run, cancel it, or evict its lease: interlock locks show " + name);
        }

        @Override
        public List<Facts> audit(Facts filter, int limit) {
            RunId run = filter.text("run")
                    .map(id -> parsed(id)
                            .orElseThrow(() -> new Failure(
                                    ExitCode.USAGE,
                                    "invalid-request",
                                    "'" + id + "' is no id of a run",
                                    "interlock runs ls lists the runs")))
                    .orElse(null);
            String action = filter.text("action").orElse(null);
            Keys keys = keysOf(filter);
            AuditQuery query = new AuditQuery(target.tenant(), keys.one(), run, action, past(filter, "since"), 0, limit)
                    .narrowed(new AuditQuery.Narrowing(past(filter, "until"), keys.prefix(), null));
            return engine.queries().audit(query).stream().map(AdminFacts::audit).toList();
        }

        @Override
        public Facts verifyAudit(Evidence evidence) {
            Duration keptFor = evidence.keptFor();
            AuditReport report = engine.queries()
                    .verifyAudit(new AuditVerifier.Outside(
                            evidence.witnesses(),
                            evidence.key(),
                            keptFor == null ? null : engine.queries().time().minus(keptFor)));
            return AdminFacts.report(report, finding -> true);
        }

        @Override
        public Facts signAudit(AuditKey key) {
            return Facts.with("signed", engine.queries().signAudit(key));
        }

        @Override
        public List<Facts> jobs() {
            throw new Failure(
                    ExitCode.CONFIGURATION,
                    "a store knows runs, not jobs",
                    "name the configuration that defines them: --config interlock.yaml; or ask a server: --server URL");
        }

        @Override
        public Facts janitor() {
            return sweep(true);
        }

        @Override
        public Facts sweep(boolean dryRun) {
            if (!dryRun) {
                return AdminFacts.janitor(engine.janitor().runOnce(), Optional.empty(), action -> true);
            }
            return AdminApi.due(engine.queries().keys(KeyQuery.ofTenant(target.tenant())).stream()
                    .filter(view -> view.lease() != null && view.lease().isExpired())
                    .map(view -> Facts.with("key", view.key().name())
                            .and("run", view.run(), Run::id)
                            .and("why", view.explanation()))
                    .toList());
        }

        @Override
        public Facts summary() {
            return service.summary(target.tenant());
        }

        @Override
        public Facts history() {
            return service.history(target.tenant(), null, HistoryFacts.Window.HOUR);
        }

        @Override
        public List<Facts> workers() {
            return service.workers(target.tenant());
        }
    }

    private final class StoreKeys implements KeyApi {

        private final KeyRing ring;

        StoreKeys(KeyRing ring) {
            this.ring = ring;
        }

        @Override
        public Facts create(String role, String label, @Nullable Duration lifetime) {
            Role wanted = Role.valueOf(role.toUpperCase(Locale.ROOT));
            KeyRing.IssuedKey issued =
                    joined(ring.issue(new KeyRing.KeyOrder(target.tenant(), wanted, label, lifetime), target.actor()));
            return json(issued.kept()).and("apiKey", issued.secret().text());
        }

        @Override
        public List<Facts> list() {
            return joined(ring.list(target.tenant())).stream().map(this::json).toList();
        }

        @Override
        public void revoke(String id, String reason) {
            if (joined(ring.revoke(target.tenant(), id, target.actor(), reason)).isEmpty()) {
                throw Failure.unknown(
                        "tenant " + target.tenant() + " has no API key called '" + id + "'",
                        "interlock keys ls lists the API keys");
            }
        }

        private Facts json(AccessKey key) {
            return AdminFacts.apiKey(key, target.environment().clock().instant());
        }

        private static <T> T joined(CompletionStage<T> answer) {
            try {
                return answer.toCompletableFuture().join();
            } catch (CompletionException failure) {
                if (failure.getCause() instanceof RuntimeException known) {
                    throw known;
                }
                throw failure;
            }
        }
    }
}
