package io.interlock.tck;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every store that keeps runs, in addition to {@link LeaseStoreContract}. After every test
 * {@link RunAudit} checks the stored data of all runs.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class RunStoreContract
        implements SubmitContract,
                QueueContract,
                ClaimContract,
                FinishContract,
                RetryContract,
                CallerContract,
                StopContract,
                PauseContract,
                CrowdedStoreContract,
                GuardContract,
                LostRunContract,
                MixedContract,
                ProbedKeyContract,
                LookingContract,
                DeadLetterContract,
                DiscardContract,
                AuditLogContract,
                NotesContract,
                WorkerNotesContract,
                ViewsContract,
                HistoryContract,
                WorkFeedContract,
                AccessKeysContract,
                SignInsContract,
                MoveContract,
                RunStormContract {

    private @Nullable RunStoreHarness harness;
    private @Nullable RunBench bench;

    /** Starts the store, or connects to it. Called once; the contract closes the harness in the end. */
    protected abstract RunStoreHarness createHarness() throws Exception;

    @Override
    public final RunBench bench() {
        return requireNonNull(bench);
    }

    @BeforeAll
    final void startStore() throws Exception {
        harness = createHarness();
    }

    @BeforeEach
    final void forgetEverything() {
        requireNonNull(harness).reset();
        bench = new RunBench(requireNonNull(harness));
    }

    @AfterEach
    final void audit() {
        bench().finish();
    }

    @AfterAll
    final void stopStore() {
        if (harness != null) {
            harness.close();
        }
    }
}
