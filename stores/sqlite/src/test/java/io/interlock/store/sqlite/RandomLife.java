package io.interlock.store.sqlite;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Transition;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/** Everything that can be done to a few keys, in any order. */
public final class RandomLife {

    /** The keys it is about. */
    public static final List<LockKey> KEYS = List.of(
            LockKey.of("acme", "a/1"), LockKey.of("acme", "a/2"), LockKey.of("acme", "b"), LockKey.of("globex", "a/1"));

    private static final Holder HOLDER = new Holder("host/1", "test");
    private static final RunError ERROR = new RunError("BROKEN", "it broke");

    private final RunStore store;
    private final Random random;
    private final List<Runnable> deeds;
    private final List<LeaseRecord> bare = new ArrayList<>();
    private final List<Claimed> works = new ArrayList<>();
    private final List<TurnRequest> waiting = new ArrayList<>();
    private final List<RunId> submitted = new ArrayList<>();

    /** A life on {@code store}. */
    public RandomLife(RunStore store, Random random) {
        this.store = store;
        this.random = random;
        deeds = List.of(
                this::submit,
                this::submit,
                this::submit,
                this::claim,
                this::claim,
                this::finish,
                this::finish,
                this::heartbeat,
                this::takeTurn,
                this::takeTurn,
                this::cancel,
                this::moveToFront,
                this::redrive,
                this::finishAndGoOn,
                this::pause,
                this::resume,
                this::resume,
                this::acquire,
                this::release,
                this::renew,
                this::evict,
                () -> store.sweep(10));
    }

    /** Does something. */
    public void go() {
        one(deeds).run();
    }

    /** What was submitted so far. */
    public List<RunId> submitted() {
        return submitted;
    }

    /** Ends everything that is under way, and takes back what keeps others from it. */
    public void wind() {
        Set.of("a/*", "a/1", "b")
                .forEach(pattern -> List.of("acme", "globex")
                        .forEach(tenant -> store.runs().resume(new ResumeRequest(tenant, pattern, "carol", "over"))));
        works.forEach(work -> finish(work, new Ending.Succeeded(null)));
        works.clear();
        bare.forEach(this::release);
        bare.clear();
        // Leases that await a probe would keep their keys closed.
        evictAll();
        waiting.forEach(this::takeTurn);
        claim();
    }

    /** Whether every run has ended. */
    public boolean isOver() {
        return submitted.stream()
                .allMatch(id -> store.queries()
                        .findRun(id)
                        .map(Run::state)
                        .orElse(RunState.QUEUED)
                        .isTerminal());
    }

    private void submit() {
        RunId id = new RunId(uuid());
        LockKey key = one(KEYS);
        RunSpec spec = RunSpec.of(new JobName(one(List.of("load", "other"))), "alice")
                .policy(one(List.of(ConflictPolicy.values())))
                .priority(random.nextInt(3))
                .terms(new LeaseTerms(Duration.ofSeconds(4), seconds(0, 0, 7)))
                .limits(new RunLimits(
                        random.nextBoolean() ? null : seconds(5, 30),
                        random.nextBoolean() ? null : seconds(6),
                        seconds(0, 0, 3)))
                .retry(new RetryPlan(one(List.of(1, 3)), seconds(0, 4), 1, seconds(10)));
        if (random.nextInt(3) == 0) {
            spec = spec.guard(new Transition("thing", Set.of(Resource.UNTOUCHED, "READY"), "BUSY", "READY", "BROKEN"));
        }
        SubmitRequest request = SubmitRequest.of(id, key, spec)
                .within(new LineLimits(5, key.tenant().equals("acme") ? 2 : 1));
        if (random.nextInt(3) == 0) {
            request = request.by(new SubmitRequest.Caller(new LeaseId(uuid()), HOLDER));
        }
        SubmitAnswer answer = store.runs().submit(List.of(request)).only();
        if (answer instanceof SubmitAnswer.Started started) {
            submitted.add(id);
            started.granted().ifPresent(lease -> works.add(new Claimed(started.run(), lease)));
        } else if (answer instanceof SubmitAnswer.Queued) {
            submitted.add(id);
            if (request.caller() != null) {
                waiting.add(new TurnRequest(id, key, request.caller()));
            }
        }
    }

    private void claim() {
        String tenant = one(List.of("acme", "globex", ""));
        Set<JobName> jobs = Set.of(new JobName("load"), new JobName("other"));
        works.addAll(store.work().claim(new ClaimRequest(uuid(), HOLDER, tenant.isEmpty() ? null : tenant, jobs, 2)));
    }

    private void finish() {
        if (!works.isEmpty()) {
            Ending ending = one(List.of(
                    new Ending.Succeeded("{}"), new Ending.Failed(ERROR, true, null), new Ending.Aborted(ERROR)));
            finish(works.remove(random.nextInt(works.size())), ending);
        }
    }

    private void finish(Claimed work, Ending ending) {
        Run run = work.run();
        store.work()
                .finish(List.of(new FinishRequest(
                        run.id(), run.key(), work.lease().id(), work.lease().token(), ending)));
    }

    private void heartbeat() {
        if (!works.isEmpty()) {
            Claimed work = one(works);
            LeaseRecord lease = work.lease();
            store.work()
                    .heartbeat(List.of(new HeartbeatRequest(
                            work.run().id(), lease.key(), lease.id(), lease.token(), "copy", null)));
        }
    }

    private void takeTurn() {
        if (!waiting.isEmpty()) {
            takeTurn(one(waiting));
        }
    }

    private void takeTurn(TurnRequest request) {
        if (store.runs().takeTurn(List.of(request)).only() instanceof TurnAnswer.Granted granted) {
            works.add(new Claimed(granted.run(), granted.lease()));
        }
    }

    private void cancel() {
        if (!submitted.isEmpty()) {
            store.runs().cancel(new CancelRequest(one(submitted), "bob", "enough"));
        }
    }

    private void moveToFront() {
        store.queries().queue(one(KEYS)).stream()
                .skip(1)
                .limit(1)
                .forEach(run -> store.runs().moveToFront(new MoveRequest(run.id(), Actor.of("bob"), "first")));
    }

    private void redrive() {
        store.queries()
                .deadLetters(new DeadLetterQuery("acme", null, true, 0, 1))
                .forEach(letter -> {
                    RunId anew = new RunId(uuid());
                    RedriveRequest request = new RedriveRequest(letter.run().id(), anew, "bob", "again");
                    if (store.runs().redrive(request) instanceof RedriveAnswer.Redriven) {
                        submitted.add(anew);
                    }
                });
    }

    private void finishAndGoOn() {
        if (!works.isEmpty()) {
            Claimed work = works.remove(random.nextInt(works.size()));
            ClaimRequest next =
                    new ClaimRequest(uuid(), HOLDER, work.run().key().tenant(), Set.of(new JobName("load")), 1);
            FinishAnswer answer = store.work()
                    .finish(List.of(new FinishRequest(
                            work.run().id(),
                            work.run().key(),
                            work.lease().id(),
                            work.lease().token(),
                            new Ending.Succeeded("{}"),
                            next)))
                    .only();
            if (answer instanceof FinishAnswer.Finished finished) {
                finished.taken().ifPresent(works::add);
            }
        }
    }

    private void pause() {
        Duration time = random.nextBoolean() ? null : seconds(3, 20);
        store.runs()
                .pause(new PauseRequest(one(KEYS).tenant(), one(List.of("a/*", "a/1", "b")), "carol", "upgrade", time));
    }

    private void resume() {
        store.runs().resume(new ResumeRequest(one(KEYS).tenant(), one(List.of("a/*", "a/1", "b")), "carol", "done"));
    }

    private void acquire() {
        LockKey key = one(KEYS);
        AcquireRequest request = AcquireRequest.of(key, new LeaseId(uuid()), HOLDER, Duration.ofSeconds(5));
        if (random.nextBoolean()) {
            Map<LockKey, FencingToken> cleared = store.find(List.of(key))
                    .get(0)
                    .filter(lease -> random.nextBoolean())
                    .map(lease -> Map.of(key, lease.token()))
                    .orElse(Map.of());
            request = request.taking(AcquireRequest.Takeover.onlyCleared(cleared));
        }
        if (store.tryAcquire(List.of(request)).only() instanceof AcquireAnswer.Granted granted) {
            granted.grants().forEach(grant -> bare.add(grant.lease()));
        }
    }

    private void release() {
        if (!bare.isEmpty()) {
            release(bare.remove(random.nextInt(bare.size())));
        }
    }

    private void release(LeaseRecord lease) {
        store.release(List.of(new ReleaseRequest(lease.key(), lease.id(), lease.token())));
    }

    private void renew() {
        LeaseRecord lease =
                random.nextBoolean() && !works.isEmpty() ? one(works).lease() : bare.isEmpty() ? null : one(bare);
        if (lease != null) {
            store.renew(List.of(new RenewRequest(lease.key(), lease.id(), lease.token(), seconds(2, 6))));
        }
    }

    private void evict() {
        if (random.nextInt(3) == 0) {
            evictAll();
        }
    }

    private void evictAll() {
        store.find(KEYS)
                .forEach(found -> found.ifPresent(
                        lease -> store.evict(new EvictRequest(lease.key(), lease.token(), "carol", "stuck"))));
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
