package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.spi.run.RunStore;
import io.interlock.tck.RunAudit;
import io.interlock.tck.RunStoreHarness;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** What one test about engines works with: engines on one store, and all keys and runs that came up, to be audited. */
public final class EngineBench implements AutoCloseable {

    private static final AtomicInteger KEYS = new AtomicInteger();

    private final RunStoreHarness harness;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Set<LockKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<RunId> acknowledged = ConcurrentHashMap.newKeySet();

    /** A bench on a fresh store. */
    public EngineBench(RunStoreHarness harness) {
        this.harness = harness;
        harness.reset();
    }

    /** A key that no other test uses. */
    public LockKey key() {
        LockKey key = LockKey.of("acme", "job/" + KEYS.incrementAndGet());
        keys.add(key);
        return key;
    }

    /** An engine of its own, with its own connections, that looks often. */
    public RunEngine engine(Jobs jobs, UnaryOperator<EngineBuilder> more) {
        EngineBuilder builder = RunEngine.builder(store())
                .jobs(jobs)
                .pollEvery(Duration.ofMillis(50))
                .sweepEvery(Duration.ofMillis(200))
                .drainTime(Duration.ofSeconds(5));
        RunEngine engine = more.apply(builder).build();
        open.push(engine);
        return engine;
    }

    /** An engine of its own. */
    public RunEngine engine(Jobs jobs) {
        return engine(jobs, builder -> builder);
    }

    /** A client of the store. */
    public RunStore store() {
        RunStore store = harness.open(Environment.system());
        open.push(store);
        return store;
    }

    /** Notes that {@code submission} was acknowledged. */
    public Submission noted(Submission submission) {
        submission.run().map(Run::id).ifPresent(acknowledged::add);
        return submission;
    }

    /** Lets the store's time go on. */
    public void advance(Duration time) {
        harness.advance(time);
    }

    /** Audits what the store has kept, and closes everything. */
    @Override
    public void close() throws Exception {
        RunStore store = harness.open(Environment.system());
        try {
            // Engines first: what they still do has to be in the log too.
            while (!open.isEmpty()) {
                open.pop().close();
            }
            List<String> findings = RunAudit.findings(store, keys, acknowledged);
            assertThat(findings).as("audit").isEmpty();
        } finally {
            store.close();
        }
    }
}
