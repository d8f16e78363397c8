package io.interlock.tck;

import static io.interlock.tck.ContractRequests.LOCK_DELAY;
import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.AcquireRequest.Takeover;
import io.interlock.spi.LeaseStore.EvictRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Leases that expire. */
interface ExpiryContract extends Contract {

    @Test
    default void aLeaseIsHeldUntilItsEndAndNotLonger() {
        LeaseRecord lease = client().take(key("boundary"));
        advance(TTL.minusSeconds(5));
        assertThat(bench().anotherClient().refusal(key("boundary"))).isInstanceOf(Refusal.Held.class);
        client().holds(lease);
        bench().advancePast(Duration.ofSeconds(5));
        assertThat(client().find(key("boundary")).orElseThrow().isExpired()).isTrue();
        AcquireAnswer.Grant next = bench().anotherClient().grant(ContractRequests.forKey(key("boundary")));
        assertThat(next.predecessor().orElseThrow().token()).isEqualTo(lease.token());
        assertThat(next.predecessor().orElseThrow().holder()).isEqualTo(lease.holder());
    }

    @Test
    default void aClockThatIsSetBackKeepsAKeyClosedForTheLongestLeaseAtMost() {
        client().take(key("dead-holder"));
        client().store().sweep(10);
        assumeTrue(bench().harness().setClockBack(Duration.ofHours(1)), "no clock of this store can be set back");
        client().store().sweep(10);
        bench().anotherClient().refusal(key("dead-holder"));
        bench().advancePast(bench().capabilities().maxLease());
        bench().anotherClient().take(key("dead-holder"));
    }

    /** Until a sweep looks at the clock, the store's time stands still: it neither goes back, nor may it make up for that. */
    @Test
    default void aClockThatIsSetBackEndsNoLeaseEarly() throws Exception {
        LeaseRecord before = client().take(key("before"));
        List<Client> clients = Stream.generate(bench()::anotherClient).limit(6).toList();
        clients.get(0).store().sweep(10);
        assumeTrue(bench().harness().setClockBack(Duration.ofHours(1)), "no clock of this store can be set back");
        LeaseRecord meanwhile = client().take(key("meanwhile"));
        client().renewed(before, TTL);
        ParallelThreads.run(
                clients.size(), number -> clients.get(number).store().sweep(10));
        for (LeaseRecord lease : List.of(before, meanwhile)) {
            client().holds(lease);
            clients.get(0).refusal(lease.key());
            client().renewed(lease, TTL);
        }
        assertThat(client().take(key("after")).grantedAt()).isAfterOrEqualTo(before.grantedAt());
    }

    @Test
    default void theHoldersOwnTermsDecideNotTheAskers() {
        client().take(ContractRequests.forKey(key("terms"), Duration.ofSeconds(60)));
        advance(Duration.ofSeconds(40));
        assertThat(bench().anotherClient().refusal(ContractRequests.forKey(key("terms"), Duration.ofSeconds(2))))
                .isInstanceOf(Refusal.Held.class);
    }

    @Test
    default void anExpiredKeyStaysClosedForItsLockDelay() {
        LeaseRecord lease = client().take(ContractRequests.withLockDelay(key("delayed")));
        bench().advancePast(TTL);
        Refusal refusal = bench().anotherClient().refusal(key("delayed"));
        assertThat(refusal).isInstanceOf(Refusal.Delayed.class);
        Refusal.Delayed delayed = (Refusal.Delayed) refusal;
        assertThat(delayed.ended().token()).isEqualTo(lease.token());
        assertThat(delayed.retryAfter()).isBetween(LOCK_DELAY.minusSeconds(5), LOCK_DELAY);
        assertThat(Duration.between(delayed.ended().expiresAt(), delayed.until()))
                .isBetween(LOCK_DELAY.minusMillis(1), LOCK_DELAY.plusMillis(1));
        advance(LOCK_DELAY.minusSeconds(5));
        assertThat(bench().anotherClient().refusal(key("delayed"))).isInstanceOf(Refusal.Delayed.class);
        bench().advancePast(Duration.ofSeconds(5));
        bench().anotherClient().take(key("delayed"));
    }

    @Test
    default void theLockDelayOfTheEndedLeaseCountsAndNotTheAskers() {
        client().take(key("no-delay"));
        bench().advancePast(TTL);
        bench().anotherClient().take(ContractRequests.withLockDelay(key("no-delay")));
    }

    @Test
    default void whoWantsToLookFirstIsTold() {
        LeaseRecord lease = client().take(key("probe"));
        bench().advancePast(TTL);
        AcquireRequest asking = ContractRequests.forKey(key("probe")).taking(Takeover.onlyCleared(Map.of()));
        Refusal refusal = client().refusal(asking);
        assertThat(refusal).isInstanceOf(Refusal.AwaitsProbe.class);
        assertThat(((Refusal.AwaitsProbe) refusal).expired().token()).isEqualTo(lease.token());
        AcquireAnswer.Grant grant = client().grant(asking.taking(cleared(lease.key(), lease.token())));
        assertThat(grant.predecessor().orElseThrow().token()).isEqualTo(lease.token());
    }

    @Test
    default void aLookAtAnotherLeaseDoesNotCount() {
        LeaseRecord first = client().take(key("probe"));
        bench().advancePast(TTL);
        LeaseRecord second = client().take(key("probe"));
        bench().advancePast(TTL);
        AcquireRequest asking = ContractRequests.forKey(key("probe"));
        assertThat(client().refusal(asking.taking(cleared(key("probe"), first.token()))))
                .isInstanceOf(Refusal.AwaitsProbe.class);
        assertThat(client().refusal(asking.taking(cleared(key("other"), second.token()))))
                .isInstanceOf(Refusal.AwaitsProbe.class);
        client().take(asking.taking(cleared(key("probe"), second.token())));
    }

    @Test
    default void aReleasedOrNewKeyNeedsNoLook() {
        AcquireRequest asking = ContractRequests.forKey(key("new")).taking(Takeover.onlyCleared(Map.of()));
        LeaseRecord lease = client().take(asking);
        client().released(lease);
        client().take(ContractRequests.forKey(key("new")).taking(Takeover.onlyCleared(Map.of())));
    }

    @Test
    default void theReasonsOfARefusalHaveAnOrder() {
        AcquireRequest asking = ContractRequests.forKey(key("order")).taking(Takeover.onlyCleared(Map.of()));
        LeaseRecord lease = client().take(ContractRequests.withLockDelay(key("order")));
        assertThat(client().refusal(asking)).isInstanceOf(Refusal.Held.class);
        bench().advancePast(TTL);
        assertThat(client().refusal(asking)).isInstanceOf(Refusal.Delayed.class);
        assertThat(client().refusal(asking.taking(cleared(lease.key(), lease.token()))))
                .as("a probe does not shorten the lock delay")
                .isInstanceOf(Refusal.Delayed.class);
        bench().advancePast(LOCK_DELAY);
        assertThat(client().refusal(asking)).isInstanceOf(Refusal.AwaitsProbe.class);
    }

    @Test
    default void aSweepLeavesWhatTheNextOneWantsToLookAfter() {
        AcquireRequest asking = ContractRequests.forKey(key("probe")).taking(Takeover.onlyCleared(Map.of()));
        LeaseRecord lease = client().take(asking);
        bench().advancePast(TTL);
        assertThat(client().store().sweep(100)).isEmpty();
        assertThat(client().refusal(ContractRequests.forKey(key("probe")).taking(Takeover.onlyCleared(Map.of()))))
                .isInstanceOf(Refusal.AwaitsProbe.class);
        client().take(ContractRequests.forKey(key("probe")).taking(cleared(key("probe"), lease.token())));
    }

    @Test
    default void renewingDoesNotForgetThatTheNextOneWantsToLook() {
        AcquireRequest asking = ContractRequests.forKey(key("probe")).taking(Takeover.onlyCleared(Map.of()));
        client().renewed(client().take(asking), TTL);
        bench().advancePast(TTL);
        assertThat(client().store().sweep(100)).isEmpty();
    }

    @Test
    default void whoeverEvictsHasLooked() {
        AcquireRequest asking = ContractRequests.forKey(key("probe")).taking(Takeover.onlyCleared(Map.of()));
        LeaseRecord lease = client().take(asking);
        client().store().evict(new EvictRequest(lease.key(), lease.token(), "ops", "the warehouse job is gone"));
        bench().advancePast(TTL);
        client().take(ContractRequests.forKey(key("probe")).taking(Takeover.onlyCleared(Map.of())));
    }

    @Test
    default void aSweepClearsWhatWasEvictedAlsoIfTheNextOneWantsToLook() {
        AcquireRequest asking = ContractRequests.forKey(key("probe")).taking(Takeover.onlyCleared(Map.of()));
        LeaseRecord lease = client().take(asking);
        client().store().evict(new EvictRequest(lease.key(), lease.token(), "ops", "the warehouse job is gone"));
        bench().advancePast(TTL);
        assertThat(client().store().sweep(100)).hasSize(1);
    }

    @Test
    default void sweepingClearsOnlyWhatIsOver() {
        LeaseRecord plain = client().take(key("plain"));
        LeaseRecord delayed = client().take(ContractRequests.withLockDelay(key("delayed")));
        client().take(ContractRequests.forKey(key("live"), TTL.multipliedBy(2)));
        assertThat(client().store().sweep(100)).isEmpty();
        bench().advancePast(TTL);
        assertThat(tokens(client().store().sweep(100))).containsExactly(plain.token());
        assertThat(client().find(key("plain"))).isEmpty();
        assertThat(bench().anotherClient().refusal(key("delayed"))).isInstanceOf(Refusal.Delayed.class);
        assertThat(bench().anotherClient().refusal(key("live"))).isInstanceOf(Refusal.Held.class);
        bench().advancePast(LOCK_DELAY);
        assertThat(tokens(client().store().sweep(100))).containsExactly(delayed.token());
        assertThat(client().store().sweep(100)).isEmpty();
    }

    @Test
    default void sweepingStopsAtItsLimit() {
        for (int i = 0; i < 5; i++) {
            client().take(key("swept/" + i));
        }
        bench().advancePast(TTL);
        assertThat(client().store().sweep(2)).hasSize(2);
        assertThat(client().store().sweep(2)).hasSize(2);
        assertThat(client().store().sweep(2)).hasSize(1);
        assertThat(client().store().sweep(2)).isEmpty();
    }

    @Test
    default void whatWasSweptIsGoneForItsHolder() {
        LeaseRecord lease = client().take(key("swept"));
        bench().advancePast(TTL);
        client().store().sweep(100);
        client().lost(lease);
        assertThat(client().grant(ContractRequests.forKey(key("swept"))).predecessor())
                .isEmpty();
    }

    private static Takeover cleared(LockKey key, FencingToken token) {
        return Takeover.onlyCleared(Map.of(key, token));
    }

    private static List<FencingToken> tokens(List<LeaseRecord> leases) {
        return leases.stream().map(LeaseRecord::token).toList();
    }
}
