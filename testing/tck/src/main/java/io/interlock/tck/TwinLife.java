package io.interlock.tck;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.Transition;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.AcquireRequest.Takeover;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.tck.Twins.Lease;
import io.interlock.tck.Twins.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Random steps on a few keys, applied to two stores. */
final class TwinLife {

    static final List<LockKey> KEYS = List.of(
            LockKey.of("acme", "a/1"), LockKey.of("acme", "a/2"), LockKey.of("acme", "b"), LockKey.of("globex", "a/1"));

    private static final Holder HOLDER = new Holder("host/1", "test");
    private static final RunError ERROR = new RunError("BROKEN", "it broke");
    private static final List<String> PATTERNS = List.of("a/*", "a/1", "b", "*");

    private final Twins stores;
    private final Random random;
    private final List<Runnable> deeds;
    private final List<Lease> bare = new ArrayList<>();
    private final List<Work> works = new ArrayList<>();
    private final List<Work> over = new ArrayList<>();
    private final List<TurnRequest> waiting = new ArrayList<>();
    private final List<SubmitRequest> requests = new ArrayList<>();
    private final List<RunId> submitted = new ArrayList<>();

    TwinLife(Twins stores, Random random) {
        this.stores = stores;
        this.random = random;
        Stream<Runnable> often =
                Stream.of(this::submit, this::submit, this::claim, this::claim, this::finish, this::takeTurn);
        Stream<Runnable> all = Stream.of(
                this::submit,
                this::submitAgain,
                this::finish,
                this::finishAgain,
                this::heartbeat,
                this::takeTurn,
                this::cancel,
                this::pause,
                this::resume,
                this::acquire,
                this::release,
                this::renew,
                this::evict,
                this::setResource,
                this::sweep,
                this::settle);
        deeds = Stream.concat(often, all).toList();
    }

    /** Executes a random step. */
    void go() {
        one(deeds).run();
    }

    List<RunId> submitted() {
        return submitted;
    }

    private void submit() {
        LockKey key = one(KEYS);
        RunSpec spec = RunSpec.of(new JobName(one(List.of("load", "other"))), "alice")
                .policy(one(List.of(ConflictPolicy.values())))
                .priority(random.nextInt(3))
                .terms(new LeaseTerms(Duration.ofSeconds(4), seconds(0, 0, 7)))
                .limits(new RunLimits(
                        random.nextBoolean() ? null : seconds(0, 5, 30),
                        random.nextBoolean() ? null : seconds(6),
                        seconds(0, 0, 3)))
                .retry(new RetryPlan(one(List.of(1, 3)), seconds(0, 4), 2, seconds(10)));
        if (random.nextInt(3) == 0) {
            spec = spec.guard(new Transition("thing", Set.of(Resource.UNTOUCHED), "BUSY", "READY", "BROKEN"));
        } else if (random.nextInt(3) == 0) {
            spec = spec.guard(new Transition("thing", Set.of("READY"), "BUSY", "READY", "BROKEN"));
        }
        SubmitRequest request =
                SubmitRequest.of(new RunId(uuid()), key, spec).within(new LineLimits(one(List.of(2, 5)), limit(key)));
        if (random.nextInt(3) == 0) {
            request = request.by(new SubmitRequest.Caller(new LeaseId(uuid()), HOLDER));
        }
        if (random.nextInt(3) == 0) {
            request = request.knownBy(new SubmitRequest.Idempotency(
                    one(List.of("x", "y")), one(List.of("f", "f", "g")), Duration.ofSeconds(20)));
        }
        submit(request);
        requests.add(request);
    }

    // Of several due keys of a tenant, a store may settle any first. With a limit the order would matter, so only the
    // tenant with a single key has one.
    private int limit(LockKey key) {
        return key.tenant().equals("globex") ? one(List.of(1, 2, Integer.MAX_VALUE)) : Integer.MAX_VALUE;
    }

    private void submitAgain() {
        if (!requests.isEmpty()) {
            submit(one(requests));
        }
    }

    private void submit(SubmitRequest request) {
        Twins.Said<SubmitAnswer> said = stores.ask(
                request.toString(),
                store -> store.runs().submit(List.of(request)).only());
        if (said.one() instanceof SubmitAnswer.Started here && said.other() instanceof SubmitAnswer.Started there) {
            submitted.add(request.id());
            here.granted()
                    .ifPresent(lease -> works.add(new Work(
                            here.run(), new Lease(lease, there.granted().orElseThrow()))));
        } else if (said.one() instanceof SubmitAnswer.Queued) {
            submitted.add(request.id());
            SubmitRequest.Caller caller = request.caller();
            if (caller != null) {
                waiting.add(new TurnRequest(request.id(), request.key(), caller));
            }
        }
    }

    private void claim() {
        // With all tenants at once, any of them may be served first.
        String tenant = one(List.of("acme", "globex"));
        Set<JobName> jobs = random.nextInt(4) == 0
                ? Set.of(new JobName("other"))
                : Set.of(new JobName("load"), new JobName("other"));
        ClaimRequest request = new ClaimRequest(uuid(), HOLDER, tenant, jobs, 1 + random.nextInt(3));
        Twins.Said<List<Claimed>> said =
                stores.ask(request.toString(), store -> store.work().claim(request));
        works.addAll(Twins.works(said));
        if (random.nextInt(4) == 0) {
            stores.askForAny("again " + request, store -> store.work().claim(request));
        }
    }

    private void finish() {
        if (!works.isEmpty()) {
            Work work = works.remove(random.nextInt(works.size()));
            finish(work);
            over.add(work);
        }
    }

    private void finishAgain() {
        if (!over.isEmpty()) {
            finish(one(over));
        }
    }

    private void finish(Work work) {
        Ending ending = one(List.of(
                new Ending.Succeeded("{}"),
                new Ending.Failed(ERROR, true, null),
                new Ending.Failed(ERROR, true, Duration.ofSeconds(3)),
                new Ending.Failed(ERROR, false, null),
                new Ending.TimedOut(ERROR),
                new Ending.Aborted(ERROR)));
        ClaimRequest next = random.nextBoolean()
                ? null
                : new ClaimRequest(uuid(), HOLDER, work.run().key().tenant(), Set.of(new JobName("load")), 1);
        FinishRequest here = new FinishRequest(
                work.run().id(),
                work.run().key(),
                work.lease().one().id(),
                work.lease().one().token(),
                ending,
                next);
        FinishRequest there = new FinishRequest(
                here.run(), here.key(), here.lease(), work.lease().other().token(), ending, next);
        Twins.Said<FinishAnswer> said = stores.ask(
                here.toString(),
                store -> store.work().finish(List.of(here)).only(),
                store -> store.work().finish(List.of(there)).only());
        if (taken(said.one()) != null) {
            works.addAll(Twins.works(new Twins.Said<>(List.of(taken(said.one())), List.of(taken(said.other())))));
        }
    }

    private static @Nullable Claimed taken(FinishAnswer answer) {
        return answer instanceof FinishAnswer.Finished finished ? finished.next() : null;
    }

    private void heartbeat() {
        if (!works.isEmpty()) {
            Work work = one(works);
            String stage = one(List.of("read", "write"));
            Progress progress = random.nextBoolean() ? null : new Progress(random.nextInt(5), 10L);
            stores.ask(
                    "beat " + work,
                    store -> store.work()
                            .heartbeat(List.of(heartbeat(work, work.lease().one(), stage, progress)))
                            .only(),
                    store -> store.work()
                            .heartbeat(List.of(heartbeat(work, work.lease().other(), stage, progress)))
                            .only());
        }
    }

    private static HeartbeatRequest heartbeat(Work work, LeaseRecord lease, String stage, @Nullable Progress progress) {
        return new HeartbeatRequest(work.run().id(), work.run().key(), lease.id(), lease.token(), stage, progress);
    }

    private void takeTurn() {
        if (waiting.isEmpty()) {
            return;
        }
        TurnRequest request = one(waiting);
        Twins.Said<TurnAnswer> said = stores.ask(
                request.toString(),
                store -> store.runs().takeTurn(List.of(request)).only());
        if (said.one() instanceof TurnAnswer.Granted here && said.other() instanceof TurnAnswer.Granted there) {
            works.add(new Work(here.run(), new Lease(here.lease(), there.lease())));
        }
    }

    private void cancel() {
        if (!submitted.isEmpty()) {
            CancelRequest request = new CancelRequest(one(submitted), "bob", "enough");
            stores.ask(request.toString(), store -> store.runs().cancel(request));
        }
    }

    private void pause() {
        Duration time = random.nextInt(3) == 0 ? null : seconds(3, 20);
        PauseRequest request = new PauseRequest(one(KEYS).tenant(), one(PATTERNS), "carol", "upgrade", time);
        stores.ask(request.toString(), store -> store.runs().pause(request));
    }

    private void resume() {
        ResumeRequest request = new ResumeRequest(one(KEYS).tenant(), one(PATTERNS), "carol", "done");
        stores.ask(request.toString(), store -> store.runs().resume(request));
        settle();
    }

    private void acquire() {
        LockKey key = one(KEYS);
        AcquireRequest request = AcquireRequest.of(key, new LeaseId(uuid()), HOLDER, Duration.ofSeconds(5));
        boolean asks = random.nextInt(3) == 0;
        Lease last = bare.isEmpty() ? null : bare.get(bare.size() - 1);
        Map<LockKey, FencingToken> here =
                last == null ? Map.of() : Map.of(last.one().key(), last.one().token());
        Map<LockKey, FencingToken> there = last == null
                ? Map.of()
                : Map.of(last.other().key(), last.other().token());
        Twins.Said<AcquireAnswer> said = stores.ask(
                request + (asks ? " after a look" : ""),
                store -> acquire(store, asks ? request.taking(Takeover.onlyCleared(here)) : request),
                store -> acquire(store, asks ? request.taking(Takeover.onlyCleared(there)) : request));
        if (said.one() instanceof AcquireAnswer.Granted one && said.other() instanceof AcquireAnswer.Granted other) {
            bare.add(
                    new Lease(one.grants().get(0).lease(), other.grants().get(0).lease()));
        }
    }

    private static AcquireAnswer acquire(RunStore store, AcquireRequest request) {
        return store.tryAcquire(List.of(request)).only();
    }

    private void release() {
        Lease lease = someLease();
        if (lease != null) {
            ReleaseRequest here = new ReleaseRequest(
                    lease.one().key(), lease.one().id(), lease.one().token());
            ReleaseRequest there =
                    new ReleaseRequest(here.key(), here.id(), lease.other().token());
            stores.ask(
                    here.toString(),
                    store -> store.release(List.of(here)).only(),
                    store -> store.release(List.of(there)).only());
        }
    }

    private void renew() {
        Lease lease = someLease();
        if (lease != null) {
            RenewRequest here = new RenewRequest(
                    lease.one().key(), lease.one().id(), lease.one().token(), Duration.ofSeconds(6));
            RenewRequest there =
                    new RenewRequest(here.key(), here.id(), lease.other().token(), here.ttl());
            stores.ask(
                    here.toString(),
                    store -> store.renew(List.of(here)).only(),
                    store -> store.renew(List.of(there)).only());
        }
    }

    private void evict() {
        Lease lease = random.nextInt(3) == 0 ? someLease() : null;
        if (lease != null) {
            EvictRequest here = new EvictRequest(lease.one().key(), lease.one().token(), "carol", "stuck");
            EvictRequest there = new EvictRequest(here.key(), lease.other().token(), "carol", "stuck");
            stores.ask(here.toString(), store -> store.evict(here), store -> store.evict(there));
        }
    }

    private void sweep() {
        stores.askForAny("sweep", store -> store.sweep(100));
    }

    /**
     * Settles expiries and timeouts, which one store may have done before. Twice, because one key may free a place for
     * another.
     */
    void settle() {
        for (int i = 0; i < 2; i++) {
            stores.tell("sweepRuns", store -> store.upkeep().sweepRuns(100));
        }
    }

    private void setResource() {
        LockKey key = one(KEYS);
        long version = random.nextInt(4);
        ResourceRequest request =
                new ResourceRequest(key, "thing", one(List.of("READY", Resource.UNTOUCHED)), version, "dora", "mended");
        stores.ask(request.toString(), store -> store.runs().setResource(request));
    }

    private @Nullable Lease someLease() {
        if (random.nextInt(3) == 0 && !works.isEmpty()) {
            return one(works).lease();
        }
        return bare.isEmpty() ? null : one(bare);
    }

    private Duration seconds(Integer... choices) {
        return Duration.ofSeconds(one(List.of(choices)));
    }

    private UUID uuid() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    private <T> T one(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
