package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Locks;
import io.interlock.locks.LocksBuilder;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.tck.process.WorkerProcess;
import io.interlock.tck.process.Workers;
import io.interlock.time.Environment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.awaitility.Awaitility;

/** The fixture of one test: clients, keys, and the history that is audited at its end. */
final class Bench {

    private static final Duration LOOK_EVERY = Duration.ofMillis(100);

    private final StoreHarness harness;
    private final Setting setting;
    private final History history = new History();
    private final List<RecordingStore> stores = new ArrayList<>();
    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final Workers workers = new Workers();
    private final Client client;

    /**
     * How a contract is run.
     *
     * @param clockMoves whether advancing moves the store's clock; otherwise it moves the ends of all leases
     * @param patience how long a test waits for an expected event
     * @param builder creates the locks under test
     */
    record Setting(boolean clockMoves, Duration patience, Function<LocksBuilder, Locks> builder) {}

    Bench(StoreHarness harness, Setting setting) {
        this.harness = harness;
        this.setting = setting;
        client = anotherClient();
    }

    StoreHarness harness() {
        return harness;
    }

    History history() {
        return history;
    }

    Client client() {
        return client;
    }

    StoreCapabilities capabilities() {
        return client.store().capabilities();
    }

    /** How long a test waits for an expected event. */
    Duration patience() {
        return setting.patience();
    }

    /** A client that shares nothing with the others but the store. */
    Client anotherClient() {
        return new Client(open());
    }

    /** A client in another environment. */
    Client clientIn(Environment environment) {
        return new Client(recording(closing(harness.open(environment))));
    }

    /** Locks in another environment that poll often. */
    Locks locksIn(Environment environment) {
        return locks(Locks.builder(clientIn(environment).store())
                .environment(environment)
                .pollEvery(LOOK_EVERY));
    }

    /** The store of a client that shares nothing with the others; all its calls are audited. */
    LeaseStore open() {
        return recording(openUnrecorded());
    }

    /** The store of a client, to be wrapped before it is {@linkplain #recording recorded}. */
    LeaseStore openUnrecorded() {
        return closing(harness.open(Environment.system()));
    }

    /** {@code store} with an audit of all its calls. */
    synchronized LeaseStore recording(LeaseStore store) {
        RecordingStore recording = new RecordingStore(store, history);
        stores.add(recording);
        return recording;
    }

    /** Locks of a separate process that poll often. */
    Locks locks() {
        return locks(openUnrecorded());
    }

    /** Locks on {@code store} that poll often. */
    Locks locks(LeaseStore store) {
        return locks(store, LOOK_EVERY);
    }

    /** Locks on {@code store}; all their calls are audited. */
    Locks locks(LeaseStore store, Duration pollEvery) {
        return locks(Locks.builder(recording(store)).pollEvery(pollEvery));
    }

    /** Locks on a {@linkplain #recording recorded} store; the leases they hand out are audited. */
    Locks locks(LocksBuilder builder) {
        return closing(new WatchedLocks(setting.builder().apply(builder.drainTime(Duration.ofMillis(100))), history));
    }

    /** So many processes on the store, which hold nothing. */
    List<WorkerProcess> workers(int count) throws IOException, InterruptedException {
        String url = harness.url().orElseGet(() -> abort("this store reaches no other process"));
        return workers.take(url, count);
    }

    /** Executes {@code step} as soon as the store answers again. */
    <T> T onceAvailable(Callable<T> step) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .ignoreException(StoreUnavailableException.class)
                .until(step, Objects::nonNull);
    }

    /** Acquires {@code key} as soon as the store answers again, after its quiet period if there is one. */
    LeaseRecord takeOnceRecovered(LockKey key) {
        AcquireRequest request = ContractRequests.forKey(key);
        AcquireAnswer answer = onceAvailable(() -> client.ask(request));
        if (answer instanceof AcquireAnswer.Refused refused) {
            assertThat(refused.refusal()).isInstanceOf(Refusal.StoreRecovering.class);
            advancePast(capabilities().maxLease());
        }
        return client.take(request);
    }

    /** Closes {@code closeable} at the end of the test, in reverse order. */
    synchronized <C extends AutoCloseable> C closing(C closeable) {
        closeables.push(closeable);
        return closeable;
    }

    void advance(Duration time) {
        harness.advance(time);
        if (!setting.clockMoves()) {
            history.shift(time);
        }
    }

    /** About a millisecond by the store's clock, so that a boundary is really passed. */
    void advancePast(Duration time) {
        advance(time.plus(capabilities().timePrecision()));
    }

    static LockKey key(String name) {
        return LockKey.of("acme", name);
    }

    /** Closes everything and audits the history. */
    void finish() throws Exception {
        Duration precision = capabilities().timePrecision();
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
        workers.giveBack();
        // The last waiter may still be leaving the queue.
        if (stores.stream().anyMatch(store -> store.watchers() > 0)) {
            Awaitility.await("I7: all subscriptions to be closed")
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(Duration.ofSeconds(5))
                    .until(() -> stores.stream().allMatch(store -> store.watchers() == 0));
        }
        assertThat(StoreAudit.findings(history, precision)).as("audit").isEmpty();
    }
}
