package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.Stores;
import io.interlock.tck.ManualTime;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Behaviour of the memory store only. */
class MemoryStoreTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final ManualTime time = new ManualTime();
    private final RunTable table = new RunTable(
            new StoreClock(time),
            MemoryStore.DEFAULT_MAX_LEASE,
            Environment.system().random());
    private final MemoryStore store = new MemoryStore(time, table);

    @Test
    void aWallClockThatJumpsChangesNothing() {
        LeaseRecord lease = granted("job");
        time.jumpClock(Duration.ofHours(3));
        assertThat(find("job").remaining()).isEqualTo(TTL);
        time.jumpClock(Duration.ofDays(-300));
        time.advance(TTL.minusNanos(1));
        assertThat(find("job").isLive()).isTrue();
        time.advance(Duration.ofNanos(1));
        assertThat(find("job").isExpired()).isTrue();
        assertThat(granted("job").token()).isGreaterThan(lease.token());
    }

    @Test
    void aUrlOfNobodysSchemeIsRefusedWithTheSchemesThatAreKnownAndWithoutItsPassword() {
        assertThatThrownBy(() -> Stores.open("mysql://root:s3cret@db/x"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "store 'mysql://root:***@db/x' has the unknown scheme 'mysql:'; known here: [memory]; correct"
                                + " the URL, or add the store's jar (interlock-store-…) to the class path");
        assertThatThrownBy(() -> Stores.open("interlock.db"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("store 'interlock.db' has no scheme; write memory:, sqlite:PATH");
    }

    @Test
    void onlyKeysWithALeaseTakeRoom() {
        LeaseRecord held = granted("held");
        LeaseRecord released = granted("released");
        store.release(List.of(new ReleaseRequest(released.key(), released.id(), released.token())));
        ask(List.of(LockKey.of("free"), held.key()));
        store.find(List.of(LockKey.of("looked-at")));
        assertThat(table.slots.all()).extracting(Slot::key).containsExactly(held.key());
    }

    @Test
    void tokensStayAboveThoseOfForgottenKeysThoughTheClockStands() {
        LeaseRecord first = granted("job");
        store.release(List.of(new ReleaseRequest(first.key(), first.id(), first.token())));
        assertThat(granted("job").token().value()).isEqualTo(first.token().value() + 1);
    }

    @Test
    void aGrantThatMissedANewEpochIsOverWhenItsQuietPeriodIs() {
        AtomicReference<Runnable> afterReading = new AtomicReference<>(() -> {});
        RunTable slow =
                new RunTable(new StoreClock(new SlowReading(time, afterReading)), Duration.ofMinutes(5), time.random());
        List<LeaseRecord> granted = new ArrayList<>();
        // A key is granted between the reading of the clock for the new epoch and its next step.
        afterReading.set(() -> {
            time.advance(Duration.ofSeconds(10));
            AcquireRequest late = request(List.of(LockKey.of("late"))).on(LeaseTerms.of(Duration.ofMinutes(5)));
            if (slow.acquire(late) instanceof AcquireAnswer.Granted grant) {
                granted.add(grant.grants().get(0).lease());
            }
        });
        Instant quietUntil = slow.bumpEpoch();
        assertThat(granted).allSatisfy(lease -> assertThat(lease.expiresAt()).isBeforeOrEqualTo(quietUntil));
        assertThat(slow.acquire(request(List.of(LockKey.of("other"))))).isInstanceOf(AcquireAnswer.Refused.class);
    }

    @Test
    void anotherClientSeesTheSameLeasesAndIsClosedForItself() {
        LeaseRecord lease = granted("job");
        MemoryStore other = store.anotherClient();
        assertThat(other.find(List.of(lease.key())).get(0).orElseThrow().token())
                .isEqualTo(lease.token());
        other.close();
        assertThat(find("job").token()).isEqualTo(lease.token());
    }

    @Test
    void everyOpeningOfItsUrlIsAnEmptyStore() {
        try (LeaseStore one = Stores.open("memory:", time);
                LeaseStore two = Stores.open("memory:?maxLease=10m", time)) {
            assertThat(one.capabilities().maxLease()).isEqualTo(Duration.ofMinutes(5));
            assertThat(two.capabilities().maxLease()).isEqualTo(Duration.ofMinutes(10));
            one.tryAcquire(List.of(request(List.of(LockKey.of("job")))));
            assertThat(two.find(List.of(LockKey.of("job"))).get(0)).isEmpty();
        }
    }

    @Test
    void aLeaseSoLongThatItsEndCannotBeCountedIsNotAllowed() {
        assertThatThrownBy(() -> Stores.open("memory:?maxLease=100000d"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("36500d");
        try (LeaseStore century = Stores.open("memory:?maxLease=36500d")) {
            AcquireRequest first = AcquireRequest.of(
                    LockKey.of("job"), LeaseId.random(new Random()), new Holder("i", "l"), Duration.ofDays(36_500));
            assertThat(century.tryAcquire(List.of(first)).only()).isInstanceOf(AcquireAnswer.Granted.class);
            AcquireRequest second =
                    AcquireRequest.of(LockKey.of("job"), LeaseId.random(new Random()), new Holder("i", "l"), TTL);
            assertThat(century.tryAcquire(List.of(second)).only()).isInstanceOf(AcquireAnswer.Refused.class);
            assertThat(century.bumpEpoch("a test")).isAfter(Instant.now());
        }
    }

    @Test
    void urlsItDoesNotUnderstandAreRefused() {
        assertThatThrownBy(() -> Stores.open("memory:here", time))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("memory: alone");
        assertThatThrownBy(() -> Stores.open("memory:?maxlease=1m", time))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("maxLease");
        assertThatThrownBy(() -> Stores.open("memory:?maxLease=1s", time))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("maxLease '1s' is below the shortest lease of 2s");
    }

    /** Runs an action after the first reading of the ticker. */
    private record SlowReading(ManualTime time, AtomicReference<Runnable> afterReading) implements Environment {

        @Override
        public InstantSource clock() {
            return time.clock();
        }

        @Override
        public Ticker ticker() {
            return () -> {
                long read = time.ticker().nanos();
                afterReading.getAndSet(() -> {}).run();
                return read;
            };
        }

        @Override
        public Timers timers(String name) {
            return time.timers(name);
        }

        @Override
        public ThreadFactory threads(String name) {
            return time.threads(name);
        }

        @Override
        public RandomGenerator random() {
            return time.random();
        }
    }

    private LeaseRecord granted(String name) {
        AcquireAnswer answer = ask(List.of(LockKey.of(name)));
        assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class);
        return ((AcquireAnswer.Granted) answer).grants().get(0).lease();
    }

    private AcquireAnswer ask(List<LockKey> keys) {
        return store.tryAcquire(List.of(request(keys))).only();
    }

    private LeaseRecord find(String name) {
        return store.find(List.of(LockKey.of(name))).get(0).orElseThrow();
    }

    private static AcquireRequest request(List<LockKey> keys) {
        return AcquireRequest.of(
                keys, LeaseId.random(Environment.system().random()), new Holder("host/1", "worker"), TTL);
    }
}
