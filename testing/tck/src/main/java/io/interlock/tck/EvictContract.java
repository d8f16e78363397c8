package io.interlock.tck;

import static io.interlock.tck.ContractRequests.LOCK_DELAY;
import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Evicting a lease. */
interface EvictContract extends Contract {

    @Test
    default void anEvictedHolderCannotRenewAndIsToldWhy() {
        LeaseRecord lease = client().take(key("victim"));
        EvictAnswer.Evicted evicted = bench().anotherClient().evicted(lease);
        assertThat(evicted.victim().token()).isEqualTo(lease.token());
        LeaseRecord.Eviction eviction = evicted.victim().evicted().orElseThrow();
        assertThat(eviction.actor()).isEqualTo("ops@example.org");
        assertThat(eviction.reason()).isEqualTo("stuck since noon");
        assertThat(eviction.at())
                .isBetween(
                        lease.grantedAt().minusMillis(1),
                        evicted.victim().observedAt().plusMillis(1));
        assertThat(client().lost(lease).cause()).isEqualTo(LossCause.EVICTED);
        assertThat(client().find(key("victim")).orElseThrow().isLive()).isFalse();
    }

    @Test
    default void anEvictedKeyStaysClosedUntilItsOldEndBecauseItsHolderMayStillWork() {
        LeaseRecord lease = client().take(key("victim"));
        EvictAnswer.Evicted evicted = client().evicted(lease);
        assertThat(Duration.between(evicted.victim().observedAt(), evicted.opensAt()))
                .isBetween(TTL.minusSeconds(5), TTL.plusMillis(1));
        Client other = bench().anotherClient();
        Refusal refusal = other.refusal(key("victim"));
        assertThat(refusal).isInstanceOf(Refusal.Held.class);
        assertThat(((Refusal.Held) refusal).current().evicted()).isPresent();
        assertThat(refusal.explanation()).contains("ops@example.org").contains("stuck since noon");
        client().lost(lease);
        advance(TTL.minusSeconds(5));
        assertThat(other.refusal(key("victim"))).isInstanceOf(Refusal.Held.class);
        bench().advancePast(Duration.ofSeconds(5));
        LeaseRecord next = other.take(key("victim"));
        assertThat(next.token().isAfter(lease.token())).isTrue();
        assertThat(next.evicted()).as("the new lease is not evicted").isEmpty();
    }

    @Test
    default void oneEvictedKeyOfSeveralOpensAtItsOldEndThoughTheOthersAreRenewed() {
        List<LeaseRecord> leases =
                client().grants(ContractRequests.forKeys(List.of(key("kept"), key("victim")))).stream()
                        .map(AcquireAnswer.Grant::lease)
                        .toList();
        client().evicted(leases.get(1));
        advance(TTL.minusSeconds(5));
        client().renewed(leases.get(0), TTL);
        Client other = bench().anotherClient();
        assertThat(other.refusal(key("victim"))).isInstanceOf(Refusal.Held.class);
        bench().advancePast(Duration.ofSeconds(5));
        other.take(key("victim"));
        assertThat(other.refusal(key("kept"))).isInstanceOf(Refusal.Held.class);
    }

    @Test
    default void anEvictedKeyOpensOnlyAfterItsLockDelayToo() {
        LeaseRecord lease = client().take(ContractRequests.withLockDelay(key("victim")));
        EvictAnswer.Evicted evicted = client().evicted(lease);
        assertThat(Duration.between(evicted.victim().expiresAt(), evicted.opensAt()))
                .isBetween(LOCK_DELAY.minusMillis(1), LOCK_DELAY.plusMillis(1));
        bench().advancePast(TTL);
        assertThat(client().refusal(key("victim"))).isInstanceOf(Refusal.Delayed.class);
        bench().advancePast(LOCK_DELAY);
        client().take(key("victim"));
    }

    @Test
    default void anEvictedKeyOpensWhenItsHolderHasStopped() {
        LeaseRecord lease = client().take(ContractRequests.withLockDelay(key("victim")));
        client().evicted(lease);
        assertThat(client().release(lease)).isInstanceOf(ReleaseAnswer.Lapsed.class);
        assertThat(client().find(key("victim"))).isEmpty();
        bench().anotherClient().take(key("victim"));
    }

    @Test
    default void evictingNeedsTheTokenTheActorSaw() {
        LeaseRecord first = client().take(key("moved-on"));
        client().released(first);
        LeaseRecord second = client().take(key("moved-on"));
        EvictAnswer answer = client().evict(first);
        assertThat(answer).isInstanceOf(EvictAnswer.Mismatch.class);
        assertThat(((EvictAnswer.Mismatch) answer).holder().orElseThrow().token())
                .isEqualTo(second.token());
        client().holds(second);
        client().renewed(second, TTL);
    }

    @Test
    default void evictingWhatNobodyHasIsAMismatch() {
        LeaseRecord lease = client().take(key("free"));
        client().released(lease);
        EvictAnswer answer = client().evict(lease);
        assertThat(answer).isInstanceOf(EvictAnswer.Mismatch.class);
        assertThat(((EvictAnswer.Mismatch) answer).holder()).isEmpty();
        assertThat(client().find(key("free"))).isEmpty();
    }

    @Test
    default void evictingAgainAnswersTheSameAndTheFirstReasonStays() {
        LeaseRecord lease = client().take(key("victim"));
        LeaseRecord.Eviction first = client().evicted(lease).victim().evicted().orElseThrow();
        EvictAnswer again = bench().anotherClient()
                .store()
                .evict(new EvictRequest(key("victim"), lease.token(), "another operator", "me too"));
        assertThat(again).isInstanceOf(EvictAnswer.Evicted.class);
        LeaseRecord.Eviction second =
                ((EvictAnswer.Evicted) again).victim().evicted().orElseThrow();
        assertThat(second.actor()).isEqualTo(first.actor());
        assertThat(second.reason()).isEqualTo(first.reason());
    }

    @Test
    default void anEvictedGrantIsNotConfirmedToWhoAsksAgainWithItsId() {
        AcquireRequest request = ContractRequests.forKey(key("victim"));
        LeaseRecord lease = client().take(request);
        client().evicted(lease);
        assertThat(client().refusal(request)).isInstanceOf(Refusal.Held.class);
    }

    @Test
    default void evictingAnExpiredLeaseChangesNothingAboutWhenTheKeyOpens() {
        LeaseRecord lease = client().take(ContractRequests.withLockDelay(key("late")));
        bench().advancePast(TTL);
        client().evicted(lease);
        assertThat(client().refusal(key("late"))).isInstanceOf(Refusal.Delayed.class);
        bench().advancePast(LOCK_DELAY);
        client().take(key("late"));
    }

    @Test
    default void anyCharactersInActorAndReasonAreKept() {
        LeaseRecord lease = client().take(key("victim"));
        String actor = "Zoë \"root\" O'Neil";
        String reason = "100% stuck; DROP TABLE lease; -- 💥\\";
        client().store().evict(new EvictRequest(key("victim"), lease.token(), actor, reason));
        LeaseRecord.Eviction eviction =
                client().find(key("victim")).orElseThrow().evicted().orElseThrow();
        assertThat(eviction.actor()).isEqualTo(actor);
        assertThat(eviction.reason()).isEqualTo(reason);
    }

    @Test
    default void anEvictedLeaseThatEndedIsSwept() {
        LeaseRecord lease = client().take(key("victim"));
        client().evicted(lease);
        assertThat(client().store().sweep(10)).isEmpty();
        bench().advancePast(TTL);
        assertThat(client().store().sweep(10)).hasSize(1);
        assertThat(client().find(key("victim"))).isEmpty();
    }
}
