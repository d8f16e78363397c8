package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The fixture of one test about runs: clients, and all keys and runs, which are audited at its end. */
final class RunBench {

    private final RunStoreHarness harness;
    private final Deque<RunStore> stores = new ArrayDeque<>();
    private final Set<LockKey> keys = ConcurrentHashMap.newKeySet();
    private final Queue<RunId> acknowledged = new ConcurrentLinkedQueue<>();
    private final Set<RunId> forgotten = ConcurrentHashMap.newKeySet();
    private final RunClient client;
    private volatile boolean logsAreCut;

    RunBench(RunStoreHarness harness) {
        this.harness = harness;
        client = anotherClient();
    }

    RunStoreHarness harness() {
        return harness;
    }

    RunClient client() {
        return client;
    }

    /** A client that shares nothing with the others but the store. */
    synchronized RunClient anotherClient() {
        RunStore store = harness.open(Environment.system());
        stores.push(store);
        return new RunClient(store, this);
    }

    void touched(LockKey key) {
        keys.add(key);
    }

    void acknowledged(RunId run) {
        acknowledged.add(run);
    }

    /** All runs that a client has seen. */
    Collection<RunId> acknowledged() {
        return List.copyOf(acknowledged);
    }

    /** Records that an old run was deleted. */
    void forgotten(RunId run) {
        forgotten.add(run);
    }

    /** Records that old audit records were deleted, so that logs are incomplete at their beginning. */
    void logsAreCut() {
        logsAreCut = true;
    }

    /** Audits the stored data, and closes everything. */
    void finish() {
        try {
            assertThat(RunAudit.findings(client.store(), logsAreCut ? Set.of() : keys, acknowledged, forgotten))
                    .as("audit")
                    .isEmpty();
        } finally {
            stores.forEach(RunStore::close);
        }
    }
}
