package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.locks.Locks;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.MutualExclusionProbe;
import io.interlock.tck.StoreHarness;
import io.interlock.time.Environment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Tests the contract: the reference store passes it, and every deliberately wrong store fails it. */
class ContractTest {

    private static volatile Supplier<StoreHarness> underTest = MemoryHarness::new;

    /** The contract on the store under test. Nested and static, so that it runs only on request. */
    static class Subject extends LeaseStoreContract {
        @Override
        protected StoreHarness createHarness() {
            return underTest.get();
        }
    }

    @Test
    void theReferencePasses() {
        underTest = MemoryHarness::new;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(Subject.class))
                                .filters(TagFilter.excludeTags("locks", "processes"))
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getFailures()).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isGreaterThan(90);
    }

    @ParameterizedTest
    @EnumSource
    void everyMutantIsCaught(Mutant mutant) {
        underTest = mutant::harness;
        MutantCheck.isCaught(mutant, Subject.class, 30, "locks", "processes");
    }

    @Test
    void countingNoticesAStoreThatGrantsToEverybody() throws Exception {
        RunTable generous =
                new RunTable(
                        new StoreClock(Environment.system()),
                        MemoryStore.DEFAULT_MAX_LEASE,
                        Environment.system().random()) {
                    @Override
                    @Nullable
                    Refusal refusal(KeyState state, AcquireRequest.Takeover takeover) {
                        return null;
                    }
                };
        try (Locks one = Locks.on(new MemoryStore(Environment.system(), generous));
                Locks two = Locks.on(new MemoryStore(Environment.system(), generous))) {
            MutualExclusionProbe.Result result =
                    MutualExclusionProbe.threads(List.of(one, two), LockKey.of("counter"), 4, 500);
            assertThat(result.counted()).isLessThan(result.turns());
        }
    }
}
