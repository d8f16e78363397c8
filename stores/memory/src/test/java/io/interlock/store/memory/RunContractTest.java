package io.interlock.store.memory;

import io.interlock.tck.RunStoreContract;
import io.interlock.tck.RunStoreHarness;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
        MutantCheck.isCaught(mutant, Subject.class, 5, "storm");
    }
}
