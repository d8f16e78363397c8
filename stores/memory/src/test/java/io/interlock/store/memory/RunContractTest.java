package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.interlock.tck.RunStoreContract;
import io.interlock.tck.RunStoreHarness;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Tests the contract about runs: every deliberately wrong store fails it. */
class RunContractTest {

    private static volatile Supplier<MemoryHarness> underTest = MemoryHarness::new;

    /** The contract on the store under test. Nested and static, so that it runs only on request. */
    static class Subject extends RunStoreContract {
        @Override
        protected RunStoreHarness createHarness() {
            return underTest.get();
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyMutantIsCaught(RunMutant mutant) {
        isCaught(mutant, mutant::harness);
    }

    @ParameterizedTest
    @EnumSource
    void everyMutantOfWhatIsKeptBesideRunsIsCaught(RecordMutant mutant) {
        isCaught(mutant, mutant::harness);
    }

    private static void isCaught(Enum<?> mutant, Supplier<MemoryHarness> store) {
        underTest = store;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(Subject.class))
                                .filters(TagFilter.excludeTags("storm"))
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getTestsFailedCount())
                .as("cases that notice %s", mutant)
                .isPositive();
        assertThat(summary.getTestsSucceededCount())
                .as("cases that do not care about %s", mutant)
                .isGreaterThan(5);
    }
}
