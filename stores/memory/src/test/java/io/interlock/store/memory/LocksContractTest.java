package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.interlock.locks.Locks;
import io.interlock.locks.LocksBuilder;
import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Tests the contract of the lock library: each test notices its mistake. */
class LocksContractTest {

    private static volatile Supplier<StoreHarness> store = MemoryHarness::new;
    private static volatile Function<LocksBuilder, Locks> library = LocksBuilder::build;
    private static volatile Duration patience = Duration.ofSeconds(2);

    /** The contract on the locks under test, with short waits. Nested and static, so that it runs only on request. */
    static class Subject extends LeaseStoreContract {
        @Override
        protected StoreHarness createHarness() {
            return store.get();
        }

        @Override
        protected Locks createLocks(LocksBuilder builder) {
            return library.apply(builder);
        }

        @Override
        protected Duration patience() {
            return patience;
        }
    }

    @ParameterizedTest
    @EnumSource
    void wrongLocksAreNoticed(LocksMutant mutant) {
        // Events that never come are waited for only briefly.
        patience = Duration.ofSeconds(1);
        assertThat(failures(MemoryHarness::new, mutant::build, mutant.noticedBy()))
                .isOne();
        patience = Duration.ofSeconds(20);
        assertThat(failures(MemoryHarness::new, LocksBuilder::build, mutant.noticedBy()))
                .as("with correct locks")
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void wrongClientsAreNoticed(StoreMutant mutant) {
        patience = Duration.ofSeconds(1);
        assertThat(failures(mutant::harness, LocksBuilder::build, mutant.noticedBy()))
                .isOne();
    }

    private static long failures(
            Supplier<StoreHarness> harness, Function<LocksBuilder, Locks> locks, String nameOfCase) {
        store = harness;
        library = locks;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(Subject.class, nameOfCase))
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getTestsStartedCount()).as(nameOfCase).isOne();
        return summary.getTestsFailedCount();
    }
}
