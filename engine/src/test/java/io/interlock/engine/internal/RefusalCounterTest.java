package io.interlock.engine.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.RefusalCount;
import io.interlock.run.RefusalCount.Outcome;
import io.interlock.tck.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RefusalCounterTest {

    private static final LockKey KEY = LockKey.of("acme", "ledger");
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final ManualTime time = new ManualTime(START);
    private final CountingNotes notes = new CountingNotes(time);
    private final RefusalCounter counter = new RefusalCounter(notes.notes(), "node-1", time);

    @AfterEach
    void close() {
        notes.away = false;
        notes.losesAnswers = false;
        counter.close();
    }

    @Test
    void countsByKeyPolicyOutcomeAndMinute() {
        reject("run 1");
        reject("run 2");
        counter.count(KEY, ConflictPolicy.JOIN, Outcome.JOINED, "run 3");
        time.advance(Duration.ofSeconds(61));
        reject("run 4");
        counter.runOnce();
        assertThat(notes.kept(KEY))
                .containsExactlyInAnyOrder(
                        count(START, ConflictPolicy.REJECT, Outcome.REJECTED, 2, "run 2"),
                        count(START, ConflictPolicy.JOIN, Outcome.JOINED, 1, "run 3"),
                        count(START.plusSeconds(60), ConflictPolicy.REJECT, Outcome.REJECTED, 1, "run 4"));
    }

    @Test
    void writesByItselfOnlyWhatHasChanged() {
        reject("run 1");
        assertThat(notes.batches).as("counting writes nothing").isEmpty();
        time.advance(Duration.ofSeconds(7));
        assertThat(notes.total()).isEqualTo(1);
        time.advance(Duration.ofSeconds(30));
        assertThat(notes.batches).containsExactly(1);
        reject("run 2");
        time.advance(Duration.ofSeconds(7));
        assertThat(notes.total()).isEqualTo(2);
        assertThat(notes.batches).containsExactly(1, 1);
    }

    @Test
    void aLostAnswerDoesNotCountTwice() {
        reject("run 1");
        notes.losesAnswers = true;
        assertThatThrownBy(counter::runOnce).isInstanceOf(StoreUnavailableException.class);
        notes.losesAnswers = false;
        reject("run 2");
        counter.runOnce();
        assertThat(notes.total()).isEqualTo(2);
    }

    @Test
    void whatAnAbsentStoreMissesIsWrittenLater() {
        notes.away = true;
        for (int minute = 0; minute < 5; minute++) {
            reject("minute " + minute);
            time.advance(Duration.ofMinutes(1));
        }
        notes.away = false;
        time.advance(Duration.ofSeconds(7));
        assertThat(notes.kept(KEY)).hasSize(5);
    }

    @Test
    void aStoreThatIsAwayForLongCostsTheOldestCounts() {
        notes.away = true;
        for (int minute = 0; minute < RefusalCounter.MAX_MINUTES + 5; minute++) {
            reject("minute " + minute);
            time.advance(Duration.ofMinutes(1));
        }
        notes.away = false;
        counter.runOnce();
        assertThat(notes.kept(KEY)).hasSize(RefusalCounter.MAX_MINUTES);
    }

    @Test
    void tooManyKeysAreCountedTogether() {
        for (int key = 0; key < RefusalCounter.MAX_CELLS + 500; key++) {
            counter.count(LockKey.of("acme", "key/" + key), ConflictPolicy.SKIP, Outcome.SKIPPED, "busy");
        }
        assertThat(counter.runOnce()).isEqualTo(RefusalCounter.MAX_CELLS + 1);
        assertThat(notes.total()).isEqualTo(RefusalCounter.MAX_CELLS + 500);
        assertThat(notes.kept(LockKey.of("acme", "_other")))
                .singleElement()
                .extracting(RefusalCount::count)
                .isEqualTo(500L);
        assertThat(notes.batches).allMatch(size -> size <= 500);
    }

    @Test
    void tooManyTenantsAreCountedTogetherAsWell() {
        int tenants = RefusalCounter.MAX_CELLS + 3000;
        for (int tenant = 0; tenant < tenants; tenant++) {
            counter.count(LockKey.of("t" + tenant, "ledger"), ConflictPolicy.SKIP, Outcome.SKIPPED, "busy");
        }
        assertThat(counter.runOnce()).isEqualTo(RefusalCounter.MAX_CELLS + 1001);
        assertThat(notes.total()).isEqualTo(tenants);
    }

    @Test
    void theLastCountsAreWrittenAtTheEnd() {
        reject("run 1");
        counter.close();
        assertThat(notes.total()).isEqualTo(1);
    }

    @Test
    void closingWithoutAStoreThrowsNothing() {
        reject("run 1");
        notes.away = true;
        counter.close();
        assertThat(notes.total()).isZero();
    }

    @Test
    void nothingIsLostWhenManyCountAtOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> counting = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            counting.add(threads.submit(() -> {
                for (int i = 0; i < 20_000; i++) {
                    counter.count(LockKey.of("acme", "key/" + i % 10), ConflictPolicy.SKIP, Outcome.SKIPPED, "busy");
                }
            }));
        }
        for (int i = 0; i < 20; i++) {
            counter.runOnce();
        }
        for (Future<?> done : counting) {
            done.get(20, TimeUnit.SECONDS);
        }
        threads.shutdown();
        counter.runOnce();
        assertThat(notes.total()).isEqualTo(80_000);
    }

    private void reject(String last) {
        counter.count(KEY, ConflictPolicy.REJECT, Outcome.REJECTED, last);
    }

    private static RefusalCount count(Instant minute, ConflictPolicy policy, Outcome outcome, long count, String last) {
        return new RefusalCount(KEY, "node-1", minute, policy, outcome, count, last);
    }
}
