package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Summary.RunCount;
import io.interlock.run.Transition;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.tck.ManualTime;
import io.interlock.tck.RunAudit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After any history, every run ends once workers continue, and no place of a tenant stays empty while a run waits for
 * it. A key or run missing from an index would stay open.
 */
class MemoryDrainTest {

    private static final JobName JOB = new JobName("load");
    private static final JobName OTHER = new JobName("other");
    private static final LineLimits THREE = new LineLimits(40, 3);
    private static final int KEYS = 9;
    private static final RunError ERROR = new RunError("BROKEN", "it broke");

    private final ManualTime time = new ManualTime();
    private final MemoryStore store = new MemoryStore(time);
    private final List<Claimed> works = new ArrayList<>();
    private final Map<RunId, TurnRequest> callers = new LinkedHashMap<>();
    private final List<LeaseRecord> leases = new ArrayList<>();
    private final Set<LockKey> keys = new LinkedHashSet<>();
    private final Set<RunId> runs = new LinkedHashSet<>();
    private Random random = new Random();

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
    void everyRunComesToItsEnd(long seed) {
        random = new Random(seed);
        for (int step = 0; step < 1500; step++) {
            happen(random.nextInt(100));
            time.advance(Duration.ofMillis(random.nextInt(1500)));
        }
        store.runs().resume(new ResumeRequest("acme", "*", "carol", "done"));
        store.runs().resume(new ResumeRequest("globex", "*", "carol", "done"));
        for (int i = 0; i < KEYS; i++) {
            store.runs().resume(new ResumeRequest("acme", "k" + i, "carol", "done"));
            store.runs().resume(new ResumeRequest("globex", "k" + i, "carol", "done"));
        }
        boolean sweeps = seed % 2 == 0;
        // A query settles its key, and would hide that it is missing from an index.
        boolean looks = seed % 3 == 0;
        for (int round = 0; round < 3000 && open() > 0; round++) {
            leases.forEach(lease -> store.release(List.of(new ReleaseRequest(lease.key(), lease.id(), lease.token()))));
            leases.clear();
            takeTurns();
            claim(100, null);
            new ArrayList<>(works).forEach(work -> finish(work, new Ending.Succeeded(null)));
            if (sweeps) {
                store.upkeep().sweepRuns(100);
            }
            if (looks) {
                assertNoPlaceIsEmpty();
            }
            time.advance(Duration.ofMillis(500));
        }
        assertThat(store.views().runCounts())
                .as("open runs")
                .allSatisfy(count -> assertThat(count.state()).isEqualTo(RunState.DEAD));
        assertThat(RunAudit.findings(store, keys, runs)).isEmpty();
    }

    private void happen(int what) {
        if (what < 40) {
            submit();
        } else if (what < 55) {
            claim(1 + random.nextInt(3), random.nextBoolean() ? "acme" : null);
        } else if (what < 70) {
            any(works).ifPresent(work -> finish(work, ending()));
        } else if (what < 78) {
            takeTurns();
        } else if (what < 81) {
            any(new ArrayList<>(callers.keySet())).ifPresent(callers::remove);
        } else if (what < 84) {
            any(new ArrayList<>(runs))
                    .ifPresent(run -> store.runs().cancel(new CancelRequest(run, "carol", "not needed")));
        } else if (what < 87) {
            takeLease();
        } else if (what < 90) {
            any(leases).ifPresent(lease -> {
                leases.remove(lease);
                store.release(List.of(new ReleaseRequest(lease.key(), lease.id(), lease.token())));
            });
        } else if (what < 92) {
            any(leases)
                    .ifPresent(lease -> store.renew(List.of(new RenewRequest(
                            lease.key(), lease.id(), lease.token(), Duration.ofSeconds(2 + random.nextInt(60))))));
        } else if (what < 94) {
            any(works)
                    .ifPresent(work -> store.evict(
                            new EvictRequest(work.run().key(), work.lease().token(), "carol", "stuck")));
        } else if (what < 97) {
            String pattern = random.nextInt(5) == 0 ? "*" : "k" + random.nextInt(KEYS);
            Duration lasts = random.nextBoolean() ? null : Duration.ofSeconds(1 + random.nextInt(30));
            store.runs().pause(new PauseRequest(tenant(), pattern, "carol", "upgrade", lasts));
        } else if (what < 99) {
            String pattern = random.nextInt(5) == 0 ? "*" : "k" + random.nextInt(KEYS);
            store.runs().resume(new ResumeRequest(tenant(), pattern, "carol", "done"));
        } else {
            time.advance(Duration.ofSeconds(random.nextInt(90)));
        }
    }

    private void submit() {
        LockKey key = LockKey.of(tenant(), "k" + random.nextInt(KEYS));
        keys.add(key);
        RunId id = RunId.create(time.clock(), random);
        ConflictPolicy[] policies = ConflictPolicy.values();
        ConflictPolicy policy =
                random.nextInt(3) > 0 ? ConflictPolicy.QUEUE : policies[random.nextInt(policies.length)];
        RunSpec spec = RunSpec.of(random.nextInt(4) == 0 ? OTHER : JOB, "alice")
                .policy(policy)
                .priority(random.nextInt(4) == 0 ? random.nextInt(20) : 0)
                .retry(new RetryPlan(
                        1 + random.nextInt(3), Duration.ofSeconds(random.nextInt(20)), 1, Duration.ofSeconds(20)))
                .limits(new RunLimits(
                        random.nextInt(5) == 0 ? Duration.ofSeconds(40) : null,
                        random.nextInt(5) == 0 ? Duration.ofSeconds(35) : null,
                        Duration.ofSeconds(random.nextInt(3) * 5L)));
        if (random.nextInt(4) == 0) {
            spec = spec.guard(new Transition("thing", Set.of(Resource.UNTOUCHED, "READY"), "MOVING", "READY", "READY"));
        }
        SubmitRequest request = SubmitRequest.of(id, key, spec).within(limits(key));
        if (random.nextInt(3) == 0) {
            request = request.by(caller());
        }
        SubmitAnswer answer = store.runs().submit(List.of(request)).only();
        if (answer instanceof SubmitAnswer.Started started) {
            runs.add(id);
            started.granted().ifPresent(lease -> works.add(new Claimed(started.run(), lease)));
        } else if (answer instanceof SubmitAnswer.Queued) {
            runs.add(id);
            if (request.caller() != null) {
                callers.put(id, new TurnRequest(id, key, request.caller()));
            }
        }
    }

    private void takeTurns() {
        List<TurnRequest> asked = List.copyOf(callers.values());
        var answers = store.runs().takeTurn(asked);
        for (int i = 0; i < asked.size(); i++) {
            if (answers.get(i) instanceof TurnAnswer.Granted granted) {
                works.add(new Claimed(granted.run(), granted.lease()));
            } else if (answers.get(i) instanceof TurnAnswer.Over) {
                callers.remove(asked.get(i).run());
            }
        }
    }

    private void claim(int max, @Nullable String tenant) {
        ClaimRequest request = new ClaimRequest(
                new UUID(random.nextLong(), random.nextLong()),
                new Holder("host/1", "worker"),
                tenant,
                Set.of(JOB, OTHER),
                max);
        works.addAll(store.work().claim(request));
    }

    private void finish(Claimed work, Ending ending) {
        works.remove(work);
        store.work()
                .finish(List.of(new FinishRequest(
                        work.run().id(),
                        work.run().key(),
                        work.lease().id(),
                        work.lease().token(),
                        ending)));
    }

    private Ending ending() {
        return random.nextInt(3) == 0 ? new Ending.Failed(ERROR, true, null) : new Ending.Succeeded(null);
    }

    private void takeLease() {
        LockKey key = LockKey.of(tenant(), "k" + random.nextInt(KEYS));
        AcquireAnswer answer = store.tryAcquire(List.of(AcquireRequest.of(
                        key, LeaseId.random(random), new Holder("host/2", "bare"), Duration.ofSeconds(30))))
                .only();
        if (answer instanceof AcquireAnswer.Granted granted) {
            granted.grants().forEach(grant -> leases.add(grant.lease()));
        }
    }

    /** Without pauses and bare leases, a place is empty only if no key has a ready run. */
    private void assertNoPlaceIsEmpty() {
        long busy = count("acme", RunState.PENDING) + count("acme", RunState.RUNNING);
        for (int i = 0; i < KEYS && busy < THREE.tenantMaxRunning(); i++) {
            LockKey key = LockKey.of("acme", "k" + i);
            for (Run run : store.queries().queue(key)) {
                store.queries()
                        .explain(run.id())
                        .filter(wait -> wait.obstacle() == null && wait.position() == 1)
                        .ifPresent(wait -> assertThat(
                                        run.status().mayBegin(store.views().storeTime())
                                                && run.status().waiter() == null)
                                .as("%s could start, and %d are running", run, busy)
                                .isFalse());
            }
        }
    }

    private long open() {
        return store.views().runCounts().stream()
                .filter(count -> count.state() != RunState.DEAD)
                .mapToLong(RunCount::count)
                .sum();
    }

    private long count(String tenant, RunState state) {
        return store.views().runCounts().stream()
                .filter(count -> count.tenant().equals(tenant) && count.state() == state)
                .mapToLong(RunCount::count)
                .sum();
    }

    private static LineLimits limits(LockKey key) {
        return key.tenant().equals("acme") ? THREE : LineLimits.NONE;
    }

    private String tenant() {
        return random.nextInt(3) == 0 ? "globex" : "acme";
    }

    private SubmitRequest.Caller caller() {
        return new SubmitRequest.Caller(LeaseId.random(random), new Holder("host/3", "caller"));
    }

    private <T> Optional<T> any(List<T> all) {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }
}
