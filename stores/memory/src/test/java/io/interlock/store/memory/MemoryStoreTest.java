package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.Stores;
import io.interlock.tck.ManualTime;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
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
        assertThat(table.rows.leases.keys()).containsExactly(held.key());
    }

    @Test
    void tokensStayAboveThoseOfForgottenKeysThoughTheClockStands() {
        LeaseRecord first = granted("job");
        store.release(List.of(new ReleaseRequest(first.key(), first.id(), first.token())));
        assertThat(granted("job").token().value()).isEqualTo(first.token().value() + 1);
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
    void aClosedClientWatchesNothing() {
        store.changes().watch(LockKey.of("before"), () -> {});
        store.close();
        store.changes().watch(LockKey.of("after"), () -> {});
        assertThat(table.watchers.watched()).isEmpty();
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
                .hasMessageContaining("maxLease '1s' must be from 2s to 36500d");
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
