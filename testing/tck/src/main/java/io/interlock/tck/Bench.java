package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.spi.LeaseStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What one test works with: clients, keys, and the history that is audited when it is over. */
final class Bench {

    private final StoreHarness harness;
    private final boolean clockMoves;
    private final History history = new History();
    private final List<RecordingStore> stores = new ArrayList<>();
    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final Client client;

    Bench(StoreHarness harness, boolean clockMoves) {
        this.harness = harness;
        this.clockMoves = clockMoves;
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

    /** A client that shares nothing with the others but the store. */
    Client anotherClient() {
        return new Client(open());
    }

    /** The store of a client that shares nothing with the others; all that is done through it is audited. */
    synchronized LeaseStore open() {
        RecordingStore store = new RecordingStore(harness.open(Environment.system()), history);
        stores.add(store);
        return closing(store);
    }

    /** Closes {@code closeable} when the test is over; what came last goes first. */
    synchronized <C extends AutoCloseable> C closing(C closeable) {
        closeables.push(closeable);
        return closeable;
    }

    void advance(Duration time) {
        harness.advance(time);
        if (!clockMoves) {
            history.shift(time);
        }
    }

    /** Until the next millisecond or so, by the store's clock, so that a boundary is really passed. */
    void advancePast(Duration time) {
        advance(time.plus(capabilities().timePrecision()));
    }

    static LockKey key(String name) {
        return LockKey.of("acme", name);
    }

    /** Closes everything and audits what happened. */
    void finish() throws Exception {
        Duration precision = capabilities().timePrecision();
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
        assertThat(stores)
                .as("I7: subscriptions left behind")
                .allSatisfy(store -> assertThat(store.watchers()).isZero());
        assertThat(StoreAudit.findings(history, precision)).as("audit").isEmpty();
    }
}
