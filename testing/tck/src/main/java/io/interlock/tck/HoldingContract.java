package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseLostException;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.Lease.Release;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.spi.LeaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holding a key through the lock library: renewal, and every kind of loss. */
interface HoldingContract extends Contract {

    /** Leases that are renewed often, so that a loss is detected soon. */
    LeaseOptions EAGER = LeaseOptions.defaults().ttl(Duration.ofSeconds(6)).renewEvery(Duration.ofMillis(200));

    @Test
    @Tag("locks")
    default void aHeldLeaseIsRenewedByItself() {
        Lease lease = bench().locks().tryAcquire(key("long-work"), EAGER).orElseThrow();
        Instant[] ends = {client().find(key("long-work")).orElseThrow().expiresAt()};
        for (int i = 0; i < 3; i++) {
            Awaitility.await().atMost(bench().patience()).until(() -> {
                Instant end = client().find(key("long-work")).orElseThrow().expiresAt();
                boolean later = end.isAfter(ends[0]);
                ends[0] = end;
                return later;
            });
        }
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.release()).isEqualTo(Release.RELEASED);
        assertThat(client().find(key("long-work"))).isEmpty();
    }

    @Test
    @Tag("locks")
    default void aHolderWhoseLeaseExpiredIsTold() throws Exception {
        Lease lease = bench().locks().tryAcquire(key("late"), EAGER).orElseThrow();
        CompletableFuture<LossCause> told = told(lease);
        bench().advancePast(Duration.ofSeconds(6));
        assertThat(told.get(bench().patience().toSeconds(), TimeUnit.SECONDS)).isIn(LossCause.EXPIRED, LossCause.GONE);
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::checkpoint).isInstanceOf(LeaseLostException.class);
        assertThat(lease.release()).isEqualTo(Release.WAS_LOST);
        client().take(key("late"));
    }

    @Test
    @Tag("locks")
    default void aHolderWhoseKeyWasTakenOverIsToldAndItsReleaseHarmsNobody() throws Exception {
        Lease lease = bench().locks().tryAcquire(key("zombie"), EAGER).orElseThrow();
        CompletableFuture<LossCause> told = told(lease);
        bench().advancePast(Duration.ofSeconds(6));
        LeaseRecord current = client().take(key("zombie"));
        told.get(bench().patience().toSeconds(), TimeUnit.SECONDS);
        lease.close();
        client().holds(current);
        assertThat(current.token()).isGreaterThan(lease.token());
    }

    @Test
    @Tag("locks")
    default void anEvictedHolderIsToldAndTheKeyOpensWhenItHasStopped() throws Exception {
        Locks locks = bench().locks();
        Locks operator = bench().locks();
        Lease lease = locks.tryAcquire(key("victim"), EAGER).orElseThrow();
        CompletableFuture<LossCause> told = told(lease);
        assertThat(operator.validate(key("victim"), lease.token())).isTrue();
        assertThat(operator.evict(key("victim"), lease.token(), "ops", "stuck"))
                .isInstanceOf(EvictAnswer.Evicted.class);
        assertThat(operator.validate(key("victim"), lease.token())).isFalse();
        assertThat(told.get(bench().patience().toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossCause.EVICTED);
        assertThat(((Acquisition.Refused) operator.tryAcquire(key("victim"))).refusal())
                .isInstanceOf(Refusal.Held.class);
        lease.close();
        operator.tryAcquire(key("victim")).orElseThrow().release();
    }

    @Test
    @Tag("locks")
    default void aHolderWhoseStoreIsGoneIsToldBeforeItsLeaseEnds() throws Exception {
        LeaseStore store = bench().openUnrecorded();
        Locks locks = bench().locks(store);
        LeaseOptions brief = EAGER.ttl(Duration.ofSeconds(3));
        Lease lease = locks.tryAcquire(key("cut-off"), brief).orElseThrow();
        LeaseRecord granted = client().find(key("cut-off")).orElseThrow();
        CompletableFuture<LeaseRecord> whenTold = new CompletableFuture<>();
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLost(cause -> {
            client().find(key("cut-off")).ifPresent(whenTold::complete);
            told.complete(cause);
        });
        store.close();
        assertThat(told.get(bench().patience().toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossCause.UNCONFIRMED);
        assertThat(whenTold)
                .as("the lease in the store when its holder was notified")
                .isCompleted();
        LeaseRecord still = whenTold.get();
        assertThat(still.token()).isEqualTo(granted.token());
        assertThat(still.isLive()).as("%s had not ended", still).isTrue();
        assertThat(still.heldFor()).as("not notified at once, but in time").isGreaterThan(Duration.ofSeconds(1));
        assertThat(lease.isHeld()).isFalse();

        bench().advancePast(brief.terms().ttl());
        LeaseRecord next = client().take(key("cut-off"));
        assertThat(next.token()).isGreaterThan(lease.token());
        lease.close();
        client().holds(next);
    }

    @Test
    @Tag("locks")
    default void aThreadIsRefusedTheKeyItHolds() throws Exception {
        Locks locks = bench().locks();
        Lease lease = locks.tryAcquire(key("mine"), EAGER).orElseThrow();
        Acquisition again = locks.acquire(key("mine"), Duration.ofSeconds(20));
        assertThat(((Acquisition.Refused) again).refusal()).isInstanceOf(Refusal.HeldByCaller.class);
        lease.release();
    }

    @Test
    @Tag("locks")
    default void severalKeysAreHeldLostAndReleasedTogether() throws Exception {
        Locks locks = bench().locks();
        Lease both = locks.tryAcquireAll(List.of(key("b"), key("a")), EAGER).orElseThrow();
        assertThat(both.tokens().keySet()).containsExactly(key("a"), key("b"));
        both.tokens()
                .forEach((key, token) ->
                        assertThat(client().find(key).orElseThrow().token()).isEqualTo(token));
        CompletableFuture<LossCause> told = told(both);
        client().evicted(client().find(key("b")).orElseThrow());
        assertThat(told.get(bench().patience().toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossCause.EVICTED);
        both.close();
        assertThat(client().store().find(List.of(key("a"), key("b")))).allMatch(found -> found.isEmpty());
    }

    @Test
    @Tag("locks")
    default void anAcquireWhoseAnswerIsLostLeavesNothingThatNobodyHas() {
        AnswerLosingStore losing = new AnswerLosingStore(bench().openUnrecorded());
        Locks locks = bench().locks(losing);
        losing.loseNext(1);
        Acquisition acquisition;
        try {
            acquisition = locks.tryAcquire(key("unclear"), EAGER);
        } catch (StoreUnavailableException unclear) {
            Awaitility.await()
                    .atMost(bench().patience())
                    .until(() -> client().find(key("unclear")).isEmpty());
            return;
        }
        acquisition.orElseThrow().release();
        assertThat(client().find(key("unclear"))).isEmpty();
    }

    private static CompletableFuture<LossCause> told(Lease lease) {
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        return told;
    }
}
