package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

/** A process may hold hundreds of thousands of locks. */
class MemoryFootprintTest {

    private static final int LOCKS = 20_000;
    private static final int MOST_BYTES = 200;

    static {
        // Records do not tell their layout otherwise.
        System.setProperty("jol.magicFieldOffset", "true");
    }

    @Test
    void aHeldLockCostsAtMostTwoHundredBytesBesideItsKeyAndHolder() {
        Environment environment = Environment.system();
        Holder holder = new Holder("host/1", "worker");
        List<LockKey> keys =
                IntStream.range(0, LOCKS).mapToObj(i -> LockKey.of("job/" + i)).toList();
        RunTable table = new RunTable(new StoreClock(environment), MemoryStore.DEFAULT_MAX_LEASE, environment.random());
        MemoryStore store = new MemoryStore(environment, table);
        keys.forEach(key -> store.tryAcquire(
                List.of(AcquireRequest.of(key, LeaseId.random(environment.random()), holder, Duration.ofSeconds(30)))));

        GraphLayout whole = GraphLayout.parseInstance(table.rows.leases, keys, holder);
        GraphLayout given = GraphLayout.parseInstance(keys, holder);
        long perLock = (whole.totalSize() - given.totalSize()) / LOCKS;
        assertThat(perLock).as("bytes per lock").isBetween(50L, (long) MOST_BYTES);
    }
}
