package io.interlock.engine;

import static java.util.Objects.requireNonNull;

import io.interlock.tck.RunStoreHarness;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Tests of engines that hold on every store of runs: a store's author names a harness, and inherits them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class EngineContract {

    private @Nullable RunStoreHarness harness;
    private @Nullable EngineBench bench;

    /** Starts the store, or connects to it. Called once; the contract closes the harness in the end. */
    protected abstract RunStoreHarness createHarness() throws Exception;

    /** What this test works with. */
    protected final EngineBench bench() {
        return requireNonNull(bench);
    }

    @BeforeAll
    final void startStore() throws Exception {
        harness = createHarness();
    }

    @BeforeEach
    final void begin() {
        bench = new EngineBench(requireNonNull(harness));
    }

    @AfterEach
    final void audit() throws Exception {
        bench().close();
    }

    @AfterAll
    final void stopStore() {
        if (harness != null) {
            harness.close();
        }
    }
}
