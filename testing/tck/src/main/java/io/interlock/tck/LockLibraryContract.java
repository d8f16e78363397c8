package io.interlock.tck;

import static java.util.Objects.requireNonNull;

import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.locks.Locks;
import io.interlock.locks.LocksBuilder;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * The cases of the contract about the lock library on one store: holding, waiting, and several processes, of which some are killed or stopped.
 * {@link LeaseStoreContract} adds those about the store itself. After every test {@link StoreAudit} checks the history of all clients.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class LockLibraryContract implements WaitingContract, HoldingContract, ProcessContract {

    private @Nullable StoreHarness harness;
    private @Nullable Bench bench;
    private boolean clockMoves;

    /** Starts the store, or connects to it. Called once; the contract closes the harness in the end. */
    protected abstract StoreHarness createHarness() throws Exception;

    /** Creates the locks under test; overridden by tests of the contract itself with wrong locks. */
    protected Locks createLocks(LocksBuilder builder) {
        return builder.build();
    }

    /** How long a test waits for an expected event before it fails. */
    protected Duration patience() {
        return Duration.ofSeconds(20);
    }

    @Override
    public final Bench bench() {
        return requireNonNull(bench);
    }

    @BeforeAll
    final void startStore() throws Exception {
        harness = createHarness();
        harness.reset();
        clockMoves = advancingMovesTheClock(harness);
    }

    @BeforeEach
    final void forgetEverything() {
        requireNonNull(harness).reset();
        bench = new Bench(requireNonNull(harness), new Bench.Setting(clockMoves, patience(), this::createLocks));
    }

    @AfterEach
    final void audit() throws Exception {
        bench().finish();
    }

    @AfterAll
    final void stopStore() {
        if (harness != null) {
            harness.close();
        }
    }

    // A harness moves the store's clock or, if it cannot, the ends of all leases. The audit must know which.
    private static boolean advancingMovesTheClock(StoreHarness harness) {
        Duration step = Duration.ofMinutes(10);
        try (var store = harness.open(Environment.system())) {
            Client client = new Client(store);
            Instant before = storeTime(client);
            harness.advance(step);
            return Duration.between(before, storeTime(client)).compareTo(step) >= 0;
        }
    }

    private static Instant storeTime(Client client) {
        AcquireAnswer answer = client.ask(ContractRequests.forKey(LockKey.of("tck", "clock")));
        if (answer instanceof AcquireAnswer.Granted granted) {
            return granted.grants().get(0).lease().observedAt();
        }
        Refusal refusal = ((AcquireAnswer.Refused) answer).refusal();
        if (refusal instanceof Refusal.Held held) {
            return held.current().observedAt();
        }
        throw new IllegalStateException("the store refuses after a reset: " + refusal.explanation());
    }
}
