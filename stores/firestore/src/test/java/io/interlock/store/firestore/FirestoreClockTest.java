package io.interlock.store.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.firestore.v1.Document;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who decides when a lease ends, and what happens between the reading and the writing of a step. */
class FirestoreClockTest {

    private static final LockKey KEY = LockKey.of("acme", "k");
    private static final Duration TTL = Duration.ofSeconds(30);

    private final FirestoreServer server = FirestoreServer.start();
    private final LeaseStore store = Stores.open(server.url());
    private final LeaseStore other = Stores.open(server.url());
    private final String document =
            FirestorePlace.of(StoreUrl.parse(server.url())).document(KEY);

    @AfterEach
    void stop() {
        store.close();
        other.close();
        server.close();
    }

    /** The holder counts from before its request. If the lease counted from the read, it would end ten seconds early. */
    @Test
    void aLeaseLastsFromItsCommitThoughTheTimeOfReadsLagsBehind() {
        server.lag(Duration.ofSeconds(10));
        LeaseRecord lease = granted(ask(store));
        server.lag(Duration.ZERO);
        server.advance(TTL.minusSeconds(5));
        assertThat(refused(ask(other))).isInstanceOf(Refusal.Held.class);

        server.lag(Duration.ofSeconds(10));
        assertThat(store.renew(List.of(new RenewRequest(KEY, lease.id(), lease.token(), TTL)))
                        .only())
                .isInstanceOf(RenewAnswer.Renewed.class);
        server.lag(Duration.ZERO);
        server.advance(TTL.minusSeconds(5));
        assertThat(refused(ask(other))).isInstanceOf(Refusal.Held.class);
        server.advance(Duration.ofSeconds(5));
        assertThat(granted(ask(other)).token()).isGreaterThan(lease.token());
    }

    @Test
    void aTimeOfReadsThatLagsBehindOpensAKeyLaterAndNeverEarlier() {
        LeaseRecord lease = granted(ask(store));
        server.advance(TTL);
        server.lag(Duration.ofSeconds(10));
        assertThat(refused(ask(other))).isInstanceOf(Refusal.Held.class);
        server.advance(Duration.ofSeconds(10));
        assertThat(granted(ask(other)).token()).isGreaterThan(lease.token());
    }

    @Test
    void aGrantThatMissedANewEpochIsNotMade() {
        FencingToken before = granted(ask(store)).token();
        LockKey late = LockKey.of("acme", "late");
        server.beforeCommit(() -> other.bumpEpoch("restored a backup"));
        assertThat(refused(ask(store, late))).isInstanceOf(Refusal.StoreRecovering.class);
        assertThat(other.find(List.of(late)).get(0)).isEmpty();
        server.advance(store.capabilities().maxLease());
        assertThat(granted(ask(store, late)).token()).isGreaterThan(before);
    }

    @Test
    void ofTwoThatReadTheSameFreeKeyOneIsGranted() {
        CompletableFuture<AcquireAnswer> between = new CompletableFuture<>();
        server.beforeCommit(() -> between.complete(ask(other)));
        Refusal refusal = refused(ask(store));
        assertThat(((Refusal.Held) refusal).current().token())
                .isEqualTo(granted(between.join()).token());
    }

    @Test
    void anEvictionDoesNotMoveTheEndOfALease() {
        LeaseRecord lease = granted(ask(store));
        Instant end = store.find(List.of(KEY)).get(0).orElseThrow().expiresAt();
        server.advance(Duration.ofSeconds(20));
        other.evict(new EvictRequest(KEY, lease.token(), "ops", "stuck"));
        assertThat(store.find(List.of(KEY)).get(0).orElseThrow().expiresAt()).isEqualTo(end);
        server.advance(Duration.ofSeconds(10));
        assertThat(granted(ask(other)).token()).isGreaterThan(lease.token());
    }

    @Test
    void leasesAreRenewedOnceASecondAtMost() throws Exception {
        try (Locks locks = Locks.on(Stores.open(server.url()));
                Lease lease = locks.tryAcquire(
                                KEY,
                                LeaseOptions.defaults().ttl(LeaseTerms.MIN_TTL).renewEvery(Duration.ofMillis(100)))
                        .orElseThrow()) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> server.writesOf(document).size() >= 4);
            assertThat(lease.isHeld()).isTrue();
        }
        List<Instant> writes = server.writesOf(document);
        // Renewals due together may be a quarter of their interval early.
        assertThat(Duration.between(writes.get(0), writes.get(3))).isGreaterThan(Duration.ofMillis(2_200));
    }

    @Test
    void whatAPolicyOfTimeToLiveMayDeleteIsLongOver() {
        granted(ask(store));
        Document held = server.document(document);
        Instant deleteAt = Instant.ofEpochSecond(
                held.getFieldsOrThrow("deleteAt").getTimestampValue().getSeconds());
        Instant end = store.find(List.of(KEY)).get(0).orElseThrow().expiresAt();
        assertThat(Duration.between(end, deleteAt)).isGreaterThan(Duration.ofDays(89));
        granted(store.tryAcquire(List.of(
                        request(LockKey.of("acme", "probed")).taking(AcquireRequest.Takeover.onlyCleared(Map.of()))))
                .only());
        assertThat(server.document(document.replace(",k", ",probed")).containsFields("deleteAt"))
                .as("a key that awaits a probe stays")
                .isFalse();
    }

    private static AcquireAnswer ask(LeaseStore store) {
        return ask(store, KEY);
    }

    private static AcquireAnswer ask(LeaseStore store, LockKey key) {
        return store.tryAcquire(List.of(request(key))).only();
    }

    private static AcquireRequest request(LockKey key) {
        return AcquireRequest.of(key, LeaseId.random(Environment.system().random()), new Holder("h", "h"), TTL);
    }

    private static LeaseRecord granted(AcquireAnswer answer) {
        assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class);
        return ((AcquireAnswer.Granted) answer).grants().get(0).lease();
    }

    private static Refusal refused(AcquireAnswer answer) {
        assertThat(answer).isInstanceOf(AcquireAnswer.Refused.class);
        return ((AcquireAnswer.Refused) answer).refusal();
    }
}
