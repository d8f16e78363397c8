package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.RunLimits;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.DiscardRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.tck.process.Proxy;
import io.interlock.tck.process.WorkerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of stores on a network server: the connection breaks before or after a step took effect, or the process
 * is stopped in the middle of a step. Nothing is done twice, and no answer is a guess. After every test
 * {@link RunAudit} checks the stored data.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class BrokenNetworkContract implements RunContract {

    /** How long a stopped process may block a key, with a margin for a slow machine. */
    private static final Duration STOPPED = Duration.ofSeconds(3);

    private static final Duration MARGIN = Duration.ofSeconds(2);

    private @Nullable RunStoreHarness harness;
    private @Nullable RunBench bench;
    private @Nullable Proxy proxy;
    private @Nullable RunStore store;

    /**
     * Regular expressions by which the proxy recognises requests.
     *
     * @param locks matches the first round trip of a step, which locks the rows of its keys
     * @param commits matches the last round trip of a step
     * @param acquires matches the request that acquires one key
     * @param releases matches the request that releases one key
     */
    public record Markers(String locks, String commits, String acquires, String releases) {}

    /** Starts the store, or connects to it. Called once; the contract closes the harness in the end. */
    protected abstract RunStoreHarness createHarness() throws Exception;

    /** The port of the server on this machine. */
    protected abstract int port();

    /** The URL of the store with another port. */
    protected abstract String url(int port, String options);

    /** How the proxy recognises requests. */
    protected abstract Markers markers();

    @Override
    public final RunBench bench() {
        return requireNonNull(bench);
    }

    private Proxy proxy() {
        return requireNonNull(proxy);
    }

    /** The client behind the breaking network; {@link #client()} has a reliable one. */
    private RunClient unlucky() {
        return new RunClient(requireNonNull(store), bench());
    }

    @BeforeAll
    final void startStore() throws Exception {
        harness = createHarness();
    }

    @BeforeEach
    final void connect() {
        requireNonNull(harness).reset();
        bench = new RunBench(requireNonNull(harness));
        proxy = new Proxy(port());
        store = (RunStore) Stores.open(url(proxy.port(), "timeout=10s"));
    }

    @AfterEach
    final void audit() {
        requireNonNull(store).close();
        proxy().close();
        bench().finish();
    }

    @AfterAll
    final void stopStore() {
        if (harness != null) {
            harness.close();
        }
    }

    /** The next request with this marker takes effect, but its answer is lost. */
    private void loseAnswerTo(String marker, Callable<Boolean> effect) {
        proxy().cutAnswerTo(
                        marker, () -> await().pollInterval(Duration.ofMillis(5)).until(effect));
    }

    private void loseStepAfter(Callable<Boolean> effect) {
        loseAnswerTo(markers().commits(), effect);
    }

    /** The answer to the first attempt was lost, and the store must not guess its outcome. */
    private void isUnclear(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("lost the connection");
        assertThat(proxy().cuts()).isEqualTo(1);
    }

    /** The answer to the first attempt was lost, and yet the answer is clear. */
    private <A> A answered(Supplier<A> call) {
        A answer = call.get();
        assertThat(proxy().cuts()).isEqualTo(1);
        return answer;
    }

    private @Nullable LeaseRecord leaseOf(LockKey key) {
        return client().store().find(List.of(key)).get(0).orElse(null);
    }

    private boolean is(Run run, RunState state) {
        return client().run(run.id()).state() == state;
    }

    private List<String> log(LockKey key) {
        return client().store().audit().records(key).stream()
                .map(AuditRecord::action)
                .toList();
    }

    @Test
    void anAcquireWhoseAnswerIsLostIsMadeAgainAndGivesTheSameGrant() {
        Client caller = new Client(unlucky().store());
        caller.released(caller.take(key("k")));
        AtomicReference<FencingToken> first = new AtomicReference<>();
        loseAnswerTo(markers().acquires(), () -> {
            LeaseRecord lease = leaseOf(key("k"));
            first.set(lease == null ? null : lease.token());
            return lease != null;
        });
        LeaseRecord lease = answered(() -> caller.take(key("k")));
        assertThat(lease.token()).isEqualTo(first.get());
        assertThat(leaseOf(key("k"))).extracting(LeaseRecord::token).isEqualTo(first.get());
    }

    @Test
    void aTakeOverWhoseAnswerIsLostHappensOnce() {
        Client caller = new Client(unlucky().store());
        LeaseRecord before = caller.take(key("k"));
        advance(ContractRequests.TTL);
        AcquireRequest request = ContractRequests.forKey(key("k"));
        loseStepAfter(() -> requireNonNull(leaseOf(key("k"))).id().equals(request.id()));
        LeaseRecord lease = answered(() -> caller.take(request));
        assertThat(lease.token()).isGreaterThan(before.token());
        assertThat(leaseOf(key("k"))).extracting(LeaseRecord::token).isEqualTo(lease.token());
    }

    @Test
    void anAcquireThatDoesNotArriveIsMadeAgain() {
        Client caller = new Client(unlucky().store());
        proxy().cutRequestWith(markers().commits(), () -> {});
        LeaseRecord lease = answered(() -> caller.take(key("k")));
        assertThat(leaseOf(key("k"))).extracting(LeaseRecord::token).isEqualTo(lease.token());
    }

    @Test
    void aReleaseWhoseAnswerIsLostIsUnclearAndNotCalledGone() {
        Client caller = new Client(unlucky().store());
        LeaseRecord lease = caller.take(key("k"));
        loseAnswerTo(markers().releases(), () -> leaseOf(key("k")) == null);
        isUnclear(() -> caller.release(lease));
        new Client(client().store()).take(key("k"));
    }

    @Test
    void aReleaseThatDoesNotArriveIsMadeAgain() {
        Client caller = new Client(unlucky().store());
        LeaseRecord lease = caller.take(key("k"));
        proxy().cutRequestWith(markers().releases(), () -> {});
        answered(() -> {
            caller.released(lease);
            return true;
        });
        assertThat(leaseOf(key("k"))).isNull();
    }

    @Test
    void aSubmissionWhoseAnswerIsLostMakesOneRun() {
        SubmitRequest request = SubmitRequest.of(freshRun(), key("k"), spec().policy(ConflictPolicy.QUEUE));
        loseStepAfter(() -> client().store().queries().findRun(request.id()).isPresent());
        SubmitAnswer.Started started =
                as(SubmitAnswer.Started.class, answered(() -> unlucky().submit(request)));
        assertThat(started.run().id()).isEqualTo(request.id());
        assertThat(log(key("k"))).containsExactly("submitted");
    }

    @Test
    void aSubmissionThatDoesNotArriveIsMadeAgain() {
        proxy().cutRequestWith(markers().commits(), () -> {});
        answered(() -> unlucky().starts(key("k"), spec().policy(ConflictPolicy.QUEUE)));
        assertThat(log(key("k"))).containsExactly("submitted");
    }

    @Test
    void aClaimWhoseAnswerIsLostIsMadeAgainAndGivesTheSameWork() {
        Run run = unlucky().starts(key("k"), spec()).run();
        unlucky().queues(key("k"), spec().policy(ConflictPolicy.QUEUE));
        // A claim searches for runs first, in a separate transaction.
        proxy().cutAnswerTo(
                        markers().commits(),
                        1,
                        () -> await().pollInterval(Duration.ofMillis(5)).until(() -> is(run, RunState.RUNNING)));
        Claimed work = answered(() -> unlucky().claim());
        assertThat(work.run().id()).isEqualTo(run.id());
        assertThat(leaseOf(key("k")))
                .extracting(LeaseRecord::token)
                .isEqualTo(work.lease().token());
        assertThat(work.run().status().attempts()).isEqualTo(1);
    }

    @Test
    void aTurnWhoseAnswerIsLostIsTakenOnce() {
        SubmitRequest.Caller caller = RunClient.caller();
        unlucky().starts(key("k"), spec());
        Claimed work = unlucky().claim();
        Run run = unlucky()
                .submitted(SubmitRequest.of(freshRun(), key("k"), spec().policy(ConflictPolicy.QUEUE))
                        .by(caller));
        unlucky().succeeds(work);
        loseStepAfter(() -> is(run, RunState.RUNNING));
        TurnAnswer.Granted turn =
                as(TurnAnswer.Granted.class, answered(() -> unlucky().takeTurn(run, caller)));
        assertThat(leaseOf(key("k")))
                .extracting(LeaseRecord::token)
                .isEqualTo(turn.lease().token());
    }

    @Test
    void anEndingWhoseAnswerIsLostIsOne() {
        Run run = unlucky().starts(key("k"), spec()).run();
        Claimed work = unlucky().claim();
        loseStepAfter(() -> is(run, RunState.SUCCEEDED));
        as(FinishAnswer.Finished.class, answered(() -> unlucky().finish(work, new Ending.Succeeded("{}"))));
    }

    @Test
    void aFailureWhoseAnswerIsLostCostsOneAttempt() {
        RetryPlan thrice = new RetryPlan(3, Duration.ZERO, 1, Duration.ZERO);
        Run run = unlucky().starts(key("k"), spec().retry(thrice)).run();
        Claimed work = unlucky().claim();
        loseStepAfter(() -> !is(run, RunState.RUNNING));
        as(
                FinishAnswer.Finished.class,
                answered(() -> unlucky().finish(work, new Ending.Failed(RunClient.ERROR, true, null))));
        assertThat(client().store().queries().attempts(run.id())).hasSize(1);
    }

    @Test
    void aCancellationWhoseAnswerIsLostIsOne() {
        Run run = unlucky().starts(key("k"), spec()).run();
        loseStepAfter(() -> is(run, RunState.ABORTED));
        as(
                CancelAnswer.Cancelled.class,
                answered(() -> unlucky().store().runs().cancel(new CancelRequest(run.id(), "carol", "enough"))));
        assertThat(unlucky().store().runs().cancel(new CancelRequest(run.id(), "dave", "enough")))
                .as("the other request came too late")
                .isInstanceOf(CancelAnswer.Over.class);
    }

    @Test
    void aCancellationThatDoesNotArriveFindsThatOfAnother() {
        Run run = unlucky().starts(key("k"), spec()).run();
        proxy().cutRequestWith(
                        markers().locks(),
                        () -> client().store().runs().cancel(new CancelRequest(run.id(), "dave", "no need")));
        as(
                CancelAnswer.Over.class,
                answered(() -> unlucky().store().runs().cancel(new CancelRequest(run.id(), "carol", "enough"))));
    }

    @Test
    void aPauseWhoseAnswerIsLostIsOne() {
        loseStepAfter(() -> !client().store().views().pauses("acme").isEmpty());
        answered(() -> unlucky().store().runs().pause(new PauseRequest("acme", "k", "carol", "upgrade", null)));
        assertThat(client().store().views().pauses("acme")).hasSize(1);
    }

    @Test
    void theEndOfAPauseWhoseAnswerIsLostIsUnclearAndNotCalledUnknown() {
        unlucky().store().runs().pause(new PauseRequest("acme", "k", "carol", "upgrade", null));
        loseStepAfter(() -> client().store().views().pauses("acme").isEmpty());
        isUnclear(() -> unlucky().store().runs().resume(new ResumeRequest("acme", "k", "carol", "done")));
        new Client(client().store()).take(key("k"));
    }

    @Test
    void aStateThatIsSetAndWhoseAnswerIsLostIsUnclearAndNoMismatch() {
        ResourceRequest request = new ResourceRequest(key("k"), "cluster", "READY", 0, "carol", "it is");
        loseStepAfter(() -> client().store().queries().resource(key("k")).isPresent());
        isUnclear(() -> unlucky().store().runs().setResource(request));
        assertThat(client().store().queries().resource(key("k")).orElseThrow().state())
                .isEqualTo("READY");
        assertThat(unlucky().store().runs().setResource(request))
                .as("now it is clear")
                .isInstanceOf(ResourceAnswer.Mismatch.class);
    }

    @Test
    void anEvictionThatOpenedTheKeyAndWhoseAnswerIsLostIsUnclearAndNoMismatch() {
        RunLimits grace = new RunLimits(null, null, Duration.ofHours(1));
        unlucky().starts(key("k"), spec().limits(grace));
        LeaseRecord lease = unlucky().claim().lease();
        Run next =
                unlucky().queues(key("k"), spec().policy(ConflictPolicy.QUEUE)).run();
        advance(Duration.ofMinutes(1));
        loseStepAfter(() -> is(next, RunState.PENDING));
        isUnclear(() -> unlucky().store().evict(new EvictRequest(key("k"), lease.token(), "carol", "gone")));
        assertThat(unlucky().claim().run().id()).isEqualTo(next.id());
    }

    @Test
    void whatIsDoneAboutDeadLettersAndWhoseAnswerIsLostIsDoneOnce() {
        Run redriven = dies("a");
        Run discarded = dies("b");
        RedriveRequest anew = new RedriveRequest(redriven.id(), freshRun(), "dora", "mended");
        loseStepAfter(() -> client().store().queries().findRun(anew.anew()).isPresent());
        assertThat(as(
                                RedriveAnswer.Redriven.class,
                                answered(() -> unlucky().store().runs().redrive(anew)))
                        .run()
                        .id())
                .isEqualTo(anew.anew());
        bench().acknowledged(anew.anew());
        loseStepAfter(() -> log(key("b")).contains("discarded"));
        assertThat(unlucky().store().runs().discard(new DiscardRequest(discarded.id(), "dora", "not needed")))
                .isInstanceOf(DiscardAnswer.Settled.class);
        assertThat(proxy().cuts()).isEqualTo(2);
        assertThat(log(key("a"))).containsOnlyOnce("redriven");
        assertThat(log(key("b"))).containsOnlyOnce("discarded");
    }

    private Run dies(String name) {
        unlucky().starts(key(name), spec().retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO)));
        unlucky().failsForNow(unlucky().claim());
        return unlucky().failsForNow(unlucky().claim());
    }

    @Test
    void aBookmarkWhoseMoveIsUnclearIsNotCalledAnothers() {
        loseStepAfter(() -> client().store().notes().bookmark("b") == 7);
        isUnclear(() -> unlucky().store().notes().moveBookmark("b", 0, 7));
        assertThat(unlucky().store().notes().moveBookmark("b", 7, 8)).isTrue();
    }

    @Test
    void aSilentServerIsUnavailableWithinTheTimeoutAndUsableAfterwards() {
        try (RunStore impatient = (RunStore) Stores.open(url(proxy().port(), "timeout=1s"))) {
            Client caller = new Client(impatient);
            LeaseRecord lease = caller.take(key("k"));
            proxy().silence(true);
            Instant begin = client().store().views().storeTime();
            assertThatThrownBy(() -> caller.take(key("other"))).isInstanceOf(StoreUnavailableException.class);
            assertThat(Duration.between(begin, client().store().views().storeTime()))
                    .isLessThan(Duration.ofSeconds(1).plus(MARGIN));
            proxy().silence(false);
            // An answer that came too late leaves nothing to release for the next try.
            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .untilAsserted(() -> caller.release(lease));
            new Client(client().store()).take(key("k"));
            // Otherwise closing would wait for connections that were opened during the silence.
            proxy().close();
        }
    }

    @Test
    void anInterruptedCallerGetsItsAnswerAndKeepsTheInterrupt() {
        Client caller = new Client(unlucky().store());
        Thread.currentThread().interrupt();
        LeaseRecord lease = caller.take(key("k"));
        assertThat(Thread.interrupted()).isTrue();
        caller.released(lease);
    }

    /** The server waits for the second round trip of a step whose process is stopped; other clients need the same key. */
    @Test
    @Tag("processes")
    void aProcessThatIsStoppedInTheMiddleOfAStepKeepsAKeyForThreeSecondsAtMost() throws Exception {
        RunStore other = bench().anotherClient().store();
        try (WorkerProcess stopped =
                WorkerProcess.start(url(proxy().port(), "timeout=30s")).ready()) {
            Proxy.HeldAnswer locked = proxy().holdAnswerTo(markers().locks());
            stopped.tell("take acme:k 30s");
            locked.await();
            stopped.pause();
            locked.letGo();
            Instant begin = client().store().views().storeTime();
            CompletableFuture<AcquireAnswer> lease = CompletableFuture.supplyAsync(() ->
                    other.tryAcquire(List.of(ContractRequests.forKey(key("k")))).only());
            SubmitAnswer run = client().submit(key("k"), spec().policy(ConflictPolicy.QUEUE));
            boolean granted = lease.get(30, TimeUnit.SECONDS) instanceof AcquireAnswer.Granted;
            assertThat(Duration.between(begin, client().store().views().storeTime()))
                    .as("until both got their answers")
                    .isLessThan(STOPPED.plus(MARGIN));
            assertThat(granted).as("one of both has the key").isNotEqualTo(run instanceof SubmitAnswer.Started);

            stopped.resume();
            assertThat(stopped.answer()).as("the undone step").startsWith("refused");
            LeaseRecord left = leaseOf(key("k"));
            assertThat(left == null ? "none" : left.holder().label())
                    .isEqualTo(granted ? ContractRequests.HOLDER.label() : "none");
        }
    }
}
