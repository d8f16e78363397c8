package io.interlock.store.memory;

import io.interlock.DurationText;
import io.interlock.EvictAnswer;
import io.interlock.InvalidSettingException;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.Wait;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.run.BeatAnswer;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.CancelAnswer;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.Claimed;
import io.interlock.spi.run.FinishAnswer;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceAnswer;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunPage;
import io.interlock.spi.run.RunQuery;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.SweepAction;
import io.interlock.spi.run.TurnAnswer;
import io.interlock.spi.run.TurnRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Leases and runs in the memory of this process: the reference for what every store does, and the store for tests and for programs
 * that are one process. Exclusion, tokens, leases and runs reach as far as the process and end with it.
 *
 * <p>Safe for use by many threads. Whoever uses leases does not wait for somebody who uses other keys; steps about runs
 * wait for each other.
 */
public final class MemoryStore implements RunStore {

    /** The longest lease unless said otherwise. */
    public static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);

    static final String NAME = "memory";

    private final Environment environment;
    private final RunTable table;
    private final RunSteps runs;
    private final Watchers watchers;
    private final WakeUps wakeUps;
    private volatile boolean closed;

    /** An empty store of its own, with leases of up to {@link #DEFAULT_MAX_LEASE}. */
    public MemoryStore(Environment environment) {
        this(environment, DEFAULT_MAX_LEASE);
    }

    /** An empty store of its own, with leases of up to {@code maxLease}. */
    public MemoryStore(Environment environment, Duration maxLease) {
        this(
                environment,
                new RunSteps(new RunTable(new StoreClock(environment), checked(maxLease), environment.random())),
                new Watchers());
    }

    MemoryStore(Environment environment, RunSteps runs, Watchers watchers) {
        this.environment = environment;
        this.runs = runs;
        table = runs.table();
        this.watchers = watchers;
        wakeUps = new WakeUps(environment, watchers);
    }

    /** Another client of the same leases, as a second process would be; each is closed for itself. */
    public MemoryStore anotherClient() {
        return new MemoryStore(environment, runs, watchers);
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                NAME, StoreCapabilities.Reach.PROCESS, true, table.maxLease(), Duration.ofNanos(1));
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(table.maxLease()));
        return answer(requests, table::acquire);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        // A lease renewed beyond maxLease would outlive the quiet period that is meant to outlast it.
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(table.maxLease()));
        return answer(requests, table::renew);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return answer(requests, request -> {
            ReleaseAnswer answer = table.release(request);
            if (!(answer instanceof ReleaseAnswer.Gone)) {
                watchers.wake(request.key());
            }
            return answer;
        });
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        requireOpen();
        return table.evict(request);
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        requireOpen();
        return keys.stream().map(table::find).toList();
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        requireOpen();
        List<LeaseRecord> found = table.leases()
                .filter(lease -> query.matches(lease.key()))
                .sorted(Comparator.comparing(LeaseRecord::key))
                .limit(query.limit() + 1L)
                .toList();
        return LeasePage.of(found, query.limit());
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        requireOpen();
        List<LeaseRecord> cleared = table.sweep(limit);
        cleared.forEach(lease -> watchers.wake(lease.key()));
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        requireOpen();
        return table.bumpEpoch();
    }

    @Override
    public Answers<SubmitAnswer> submit(List<SubmitRequest> requests) {
        requests.forEach(request -> request.spec().terms().within(table.maxLease()));
        return answer(requests, runs::submit);
    }

    @Override
    public List<Claimed> claim(ClaimRequest request) {
        requireOpen();
        return runs.claim(request);
    }

    @Override
    public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
        return answer(requests, runs::takeTurn);
    }

    @Override
    public Answers<BeatAnswer> beat(List<BeatRequest> requests) {
        return answer(requests, runs::beat);
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        return answer(requests, request -> {
            FinishAnswer answer = runs.finish(request);
            watchers.wake(request.key());
            return answer;
        });
    }

    @Override
    public CancelAnswer cancel(CancelRequest request) {
        requireOpen();
        CancelAnswer answer = runs.cancel(request);
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            watchers.wake(cancelled.run().key());
        }
        return answer;
    }

    @Override
    public Pause pause(PauseRequest request) {
        requireOpen();
        return runs.pause(request);
    }

    @Override
    public boolean resume(ResumeRequest request) {
        requireOpen();
        return runs.resume(request);
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        requireOpen();
        List<SweepAction> done = runs.sweep(limit);
        done.forEach(action -> watchers.wake(action.key()));
        return done;
    }

    @Override
    public Optional<Run> findRun(RunId id) {
        requireOpen();
        return runs.find(id);
    }

    @Override
    public List<Run> queue(LockKey key) {
        requireOpen();
        return runs.queue(key);
    }

    @Override
    public Optional<Wait> explain(RunId id) {
        requireOpen();
        return runs.explain(id);
    }

    @Override
    public List<Attempt> attempts(RunId id) {
        requireOpen();
        return runs.attempts(id);
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        requireOpen();
        return runs.resource(key);
    }

    @Override
    public ResourceAnswer setResource(ResourceRequest request) {
        requireOpen();
        return runs.setResource(request);
    }

    @Override
    public RunPage listRuns(RunQuery query) {
        requireOpen();
        return runs.list(query);
    }

    @Override
    public List<AuditRecord> audit(LockKey key) {
        requireOpen();
        return runs.audit(key);
    }

    @Override
    public ChangeFeed changes() {
        return wakeUps;
    }

    @Override
    public void close() {
        closed = true;
        wakeUps.close();
    }

    @Override
    public String toString() {
        return NAME + ":";
    }

    private <Q, A> Answers<A> answer(List<Q> requests, Function<Q, A> step) {
        requireOpen();
        return Answers.of(requests.stream().map(step).toList());
    }

    private static Duration checked(Duration maxLease) {
        if (maxLease.compareTo(LeaseTerms.MIN_TTL) < 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    DurationText.format(maxLease),
                    "is below the shortest lease of " + DurationText.format(LeaseTerms.MIN_TTL),
                    "leave it out for " + DurationText.format(DEFAULT_MAX_LEASE));
        }
        return maxLease;
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreUnavailableException(NAME, "is closed");
        }
    }
}
