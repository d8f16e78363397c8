package io.interlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.interlock.spi.LeaseStore;
import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Tests the contract about other processes: each test notices its mistake. */
class ProcessContractTest {

    private static volatile ProcessMutant underTest = ProcessMutant.TOKENS_FALL;

    /** The contract on the client under test, with short waits. Nested and static, so that it runs only on request. */
    static class Subject extends LeaseStoreContract {
        @Override
        protected StoreHarness createHarness() {
            return new WrongHarness(underTest);
        }

        @Override
        protected Duration patience() {
            return Duration.ofSeconds(5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void wrongProcessesAreNoticed(ProcessMutant mutant) {
        underTest = mutant;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(Subject.class, mutant.noticedBy(), Path.class))
                                .build(),
                        listener);
        assertThat(listener.getSummary().getTestsStartedCount()).isOne();
        assertThat(listener.getSummary().getTestsFailedCount()).isOne();
    }

    /** All clients see the same tokens; other mistakes are limited to the other processes. */
    private record WrongHarness(ProcessMutant mutant, RedisHarness honest) implements StoreHarness {

        WrongHarness(ProcessMutant mutant) {
            this(mutant, new RedisHarness());
        }

        @Override
        public LeaseStore open(Environment environment) {
            LeaseStore store = honest.open(environment);
            return mutant == ProcessMutant.TOKENS_FALL ? mutant.client(store) : store;
        }

        @Override
        public void advance(Duration time) {
            honest.advance(time);
        }

        @Override
        public void reset() {
            honest.reset();
        }

        @Override
        public Optional<String> url() {
            return honest.url().map(url -> MutantStoreFactory.url(url, mutant));
        }

        @Override
        public void close() {
            honest.close();
        }
    }
}
