package io.interlock.engine.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.run.JobName;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.Length;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PeriodCounterTest {

    private static final LockKey KEY = LockKey.of("acme", "ledger");
    private static final JobName CLOSE = new JobName("close");

    private final MemoryStore store = new MemoryStore(Environment.system());
    private final Instant now = store.views().storeTime();

    private List<RunPeriod> ofAll(Length length) {
        return store.notes().periods(PeriodQuery.ofAll("acme", length, Instant.EPOCH));
    }

    @Test
    void anEndCountsInEveryLengthForItsJobAndForAll() {
        try (PeriodCounter first = new PeriodCounter(store.notes(), store.views(), Environment.system());
                PeriodCounter second = new PeriodCounter(store.notes(), store.views(), Environment.system())) {
            first.ended(KEY, CLOSE, RunState.SUCCEEDED, now);
            first.held(KEY, CLOSE, Duration.ofSeconds(3), now);
            first.runOnce();
            first.runOnce();
            second.ended(KEY, new JobName("other"), RunState.TIMED_OUT, now);
        }
        for (Length length : Length.values()) {
            assertThat(ofAll(length)).singleElement().satisfies(period -> {
                assertThat(period.start()).isEqualTo(length.start(now));
                assertThat(period.succeeded()).isEqualTo(1);
                assertThat(period.failed()).as("counted when it was closed").isEqualTo(1);
                assertThat(period.holds().total()).isEqualTo(1);
            });
            assertThat(store.notes().periods(PeriodQuery.of("acme", CLOSE, length, Instant.EPOCH)))
                    .singleElement()
                    .satisfies(period -> assertThat(period.failed()).isZero());
            assertThat(store.notes().periods(PeriodQuery.ofAll(RunPeriod.COUNTED, length, Instant.EPOCH)))
                    .as("it is known that the minute was counted")
                    .isNotEmpty();
        }
    }

    @Test
    void tooManyJobsCountWithTheirTenant() {
        try (PeriodCounter counter = new PeriodCounter(store.notes(), store.views(), Environment.system())) {
            for (int i = 0; i < PeriodCounter.MOST + 5; i++) {
                counter.ended(KEY, new JobName("job-" + i), RunState.SUCCEEDED, now);
            }
        }
        assertThat(ofAll(Length.HOUR).stream().mapToLong(RunPeriod::succeeded).sum())
                .isEqualTo(PeriodCounter.MOST + 5);
        assertThat(store.notes().periods(PeriodQuery.ofEach("acme", Length.HOUR, Instant.EPOCH)))
                .hasSize(PeriodCounter.MOST);
    }

    @Test
    void whatTheStoreDidNotConfirmIsAddedLaterAndOnce() {
        AtomicBoolean away = new AtomicBoolean(true);
        RunStore unsteady = InterceptedStore.of(store, RunStore.class, call -> {
            // The first of several steps succeeds.
            if (away.get()
                    && call.step().equals("addPeriods")
                    && !ofAll(Length.HOUR).isEmpty()) {
                throw new StoreUnavailableException("unsteady", "is away");
            }
            return call.proceed();
        });
        int jobs = 200;
        try (PeriodCounter counter = new PeriodCounter(unsteady.notes(), unsteady.views(), Environment.system())) {
            for (int i = 0; i < jobs; i++) {
                counter.ended(KEY, new JobName("job-" + i), RunState.SUCCEEDED, now);
            }
            assertThatThrownBy(counter::runOnce).isInstanceOf(StoreUnavailableException.class);
            counter.ended(KEY, CLOSE, RunState.ABORTED, now);
            assertThatThrownBy(counter::runOnce).isInstanceOf(StoreUnavailableException.class);
            away.set(false);
            counter.runOnce();
        }
        assertThat(ofAll(Length.HOUR)).singleElement().satisfies(period -> {
            assertThat(period.succeeded()).isEqualTo(jobs);
            assertThat(period.stopped()).isEqualTo(1);
        });
    }
}
