package io.interlock.engine.internal;

import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreCapabilities;
import io.interlock.engine.DeadLetterBox;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineQueries;
import io.interlock.engine.Janitor;
import io.interlock.engine.Jobs;
import io.interlock.engine.RemoteLeases;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.WorkerStatus;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
import io.interlock.run.Wait;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link RunEngine} on a store. */
public final class StoreRunEngine implements RunEngine {

    private static final Logger log = LoggerFactory.getLogger(StoreRunEngine.class);

    private final House house;
    private final RunStore store;
    private final RemoteSteps remote;
    private final RemoteLeaseSteps leases;
    private final DeadLetterBox letters;
    private final EngineQueries records;

    private StoreRunEngine(EngineSettings settings) {
        house = new House(settings);
        store = settings.store();
        remote = new RemoteSteps(house);
        leases = new RemoteLeaseSteps(house);
        letters = new StoreDeadLetters(house);
        records = new StoreQueries(store, settings.background(), house.sealer());
    }

    /** An engine, working. */
    public static RunEngine open(EngineSettings settings) {
        StoreRunEngine engine = new StoreRunEngine(settings);
        try {
            engine.house.open();
        } catch (RuntimeException | Error failure) {
            // Nobody gets hold of it, so nobody could end what has begun.
            engine.close();
            throw failure;
        }
        return engine;
    }

    @Override
    public Submission submit(RunRequest request) {
        return house.submitter().submit(request);
    }

    @Override
    public CompletionStage<Submission> submitAsync(RunRequest request) {
        return house.submitter().submitAsync(request);
    }

    @Override
    public CancelAnswer cancel(RunId run, String actor, String reason) {
        return house.cancels().cancel(run, actor, reason);
    }

    @Override
    public EvictAnswer evict(LockKey key, FencingToken expected, String actor, String reason) {
        EvictAnswer answer = store.evict(new EvictRequest(key, expected, actor, reason));
        if (answer instanceof EvictAnswer.Evicted evicted) {
            log.warn(
                    "{} evicted {} from {} (token {}): {}",
                    actor,
                    evicted.victim().holder().label(),
                    key,
                    expected,
                    reason);
            house.events().tell(new EngineEvent.Evicted(key, evicted, actor, reason));
            // If the victim is ours, it need not wait for its next heartbeat to hear of it.
            house.activeRuns().under(key).ifPresent(house.heartbeats()::soon);
        }
        return answer;
    }

    @Override
    public Pause pause(String tenant, String pattern, String actor, String reason, @Nullable Duration time) {
        Pause pause = store.pause(new PauseRequest(tenant, pattern, actor, reason, time));
        log.warn("{} paused {} of {}: {}", actor, pattern, tenant, reason);
        house.events().tell(new EngineEvent.Paused(LockKey.of(tenant, pattern), pause));
        return pause;
    }

    @Override
    public boolean resume(String tenant, String pattern, String actor, String reason) {
        boolean resumed = store.resume(new ResumeRequest(tenant, pattern, actor, reason));
        if (resumed) {
            log.info("{} resumed {} of {}: {}", actor, pattern, tenant, reason);
            house.events().tell(new EngineEvent.Resumed(LockKey.of(tenant, pattern), actor, reason));
            house.workers().wake();
        }
        return resumed;
    }

    @Override
    public Optional<Run> find(RunId run) {
        return store.findRun(run);
    }

    @Override
    public RunPage list(RunQuery query) {
        return store.listRuns(query);
    }

    @Override
    public List<Run> queue(LockKey key) {
        return store.queue(key);
    }

    @Override
    public Optional<Wait> explain(RunId run) {
        return store.explain(run);
    }

    @Override
    public List<Attempt> attempts(RunId run) {
        return store.attempts(run);
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        return store.resource(key);
    }

    @Override
    public ResourceAnswer setResource(
            LockKey key, String kind, String state, long expectedVersion, String actor, String reason) {
        return store.setResource(new ResourceRequest(key, kind, state, expectedVersion, actor, reason));
    }

    @Override
    public ResourceAnswer setFreeResource(
            LockKey key, String kind, String state, long expectedVersion, String actor, String reason) {
        return store.setResource(new ResourceRequest(key, kind, state, expectedVersion, actor, reason, true));
    }

    @Override
    public List<AuditRecord> audit(LockKey key) {
        return store.audit(key);
    }

    @Override
    public Optional<Run> awaitEnd(RunId run, Duration maxWait) throws InterruptedException {
        boolean atWork = house.activeRuns().isAtWork(Thread.currentThread());
        CompletableFuture<Optional<Run>> result = house.ends().await(run, maxWait, atWork);
        try {
            return result.get();
        } catch (ExecutionException failure) {
            throw FutureFailures.unchecked(failure);
        } finally {
            result.cancel(false);
        }
    }

    @Override
    public CompletionStage<Optional<Run>> awaitEndAsync(RunId run, Duration maxWait) {
        return house.ends().await(run, maxWait, false);
    }

    @Override
    public DeadLetterBox deadLetters() {
        return letters;
    }

    @Override
    public EngineQueries queries() {
        return records;
    }

    @Override
    public RemoteWork remote() {
        return remote;
    }

    @Override
    public RemoteLeases leases() {
        return leases;
    }

    @Override
    public WorkerStatus workers() {
        return house.workers().status();
    }

    @Override
    public Janitor janitor() {
        return house.janitor();
    }

    @Override
    public long missedEvents() {
        return house.events().missed();
    }

    @Override
    public Jobs jobs() {
        return house.settings().jobs();
    }

    @Override
    public StoreCapabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void close() {
        if (house.shut()) {
            new GracefulShutdown(house.shop(), house::sendAway, house::close).run();
        }
    }
}
