package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The quiet period, crashes, and clients that close. */
interface RecoveryContract extends Contract {

    @Test
    default void nothingIsGrantedInAQuietPeriod() {
        Duration maxLease = bench().capabilities().maxLease();
        Instant until = client().store().bumpEpoch("restored a backup");
        Refusal refusal = bench().anotherClient().refusal(key("quiet"));
        assertThat(refusal).isInstanceOf(Refusal.StoreRecovering.class);
        Refusal.StoreRecovering recovering = (Refusal.StoreRecovering) refusal;
        assertThat(recovering.key()).isEqualTo(key("quiet"));
        assertThat(Duration.between(recovering.until(), until).abs()).isLessThan(Duration.ofMillis(2));
        assertThat(recovering.retryAfter()).isBetween(maxLease.minusSeconds(5), maxLease.plusMillis(1));
        advance(maxLease.minusSeconds(10));
        assertThat(client().refusal(key("quiet"))).isInstanceOf(Refusal.StoreRecovering.class);
        bench().advancePast(Duration.ofSeconds(10));
        client().take(key("quiet"));
    }

    @Test
    default void aGrantThatMissedANewEpochIsOverWhenItsQuietPeriodIs() throws Exception {
        LeaseTerms longest = LeaseTerms.of(bench().capabilities().maxLease());
        Queue<LeaseRecord> granted = new ConcurrentLinkedQueue<>();
        CompletableFuture<Instant> quietUntil = new CompletableFuture<>();
        Client other = bench().anotherClient();
        ParallelThreads.run(4, number -> {
            if (number == 0) {
                Awaitility.await()
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> granted.size() > 20);
                quietUntil.complete(client().store().bumpEpoch("restored a backup"));
                return;
            }
            Client mine = number == 1 ? client() : other;
            for (int i = 0;
                    i < 1000
                            && !quietUntil.isDone()
                            && mine.ask(ContractRequests.forKey(key(number + "/" + i))
                                            .on(longest))
                                    instanceof AcquireAnswer.Granted early;
                    i++) {
                granted.add(early.grants().get(0).lease());
            }
        });
        Instant end = quietUntil.join().plusMillis(2);
        assertThat(granted).extracting(LeaseRecord::expiresAt).allMatch(expiry -> !expiry.isAfter(end));
        bench().advancePast(longest.ttl());
        FencingToken after = client().take(key("1/0")).token();
        assertThat(granted).allMatch(lease -> after.isAfter(lease.token()));
    }

    @Test
    default void knownLeasesKeepRenewingInAQuietPeriodAndStillExclude() {
        AcquireRequest request = ContractRequests.forKey(key("steady"));
        LeaseRecord lease = client().take(request);
        client().store().bumpEpoch("restored a backup");
        Duration rest = bench().capabilities().maxLease();
        while (rest.compareTo(TTL) > 0) {
            advance(Duration.ofSeconds(20));
            rest = rest.minusSeconds(20);
            client().renewed(lease, TTL);
        }
        assertThat(client().take(request).token()).as("asked again").isEqualTo(lease.token());
        client().renewed(lease, TTL.multipliedBy(2));
        bench().advancePast(rest);
        assertThat(bench().anotherClient().refusal(key("steady"))).isInstanceOf(Refusal.Held.class);
    }

    @Test
    default void releasingWorksInAQuietPeriodButOpensNothing() {
        LeaseRecord lease = client().take(key("steady"));
        client().store().bumpEpoch("restored a backup");
        assertThat(client().refusal(key("steady")))
                .as("recovering takes precedence over held")
                .isInstanceOf(Refusal.StoreRecovering.class);
        client().released(lease);
        assertThat(client().refusal(key("steady"))).isInstanceOf(Refusal.StoreRecovering.class);
    }

    @Test
    default void afterLossOfAllDataNothingIsGrantedUntilOldLeasesMustBeOver() {
        LeaseRecord lease = client().take(key("lost"));
        assumeTrue(bench().harness().loseData(), "this store cannot lose its data");
        Refusal refusal = bench().onceAvailable(() -> client().refusal(key("lost")));
        assertThat(refusal).isInstanceOf(Refusal.StoreRecovering.class);
        client().lost(lease);
        assertThat(client().release(lease)).isInstanceOf(ReleaseAnswer.Gone.class);
        assertThat(bench().takeOnceRecovered(key("lost")).token()).isGreaterThan(lease.token());
    }

    @Test
    default void whatWasAcknowledgedSurvivesACrash() {
        LeaseRecord held = client().take(key("held"));
        LeaseRecord evicted = client().take(key("evicted"));
        client().evicted(evicted);
        LeaseRecord released = client().take(key("released"));
        client().released(released);
        assumeTrue(bench().harness().crash(), "this store cannot be crashed");
        bench().onceAvailable(() -> {
            client().holds(held);
            return held;
        });
        client().renewed(held, TTL);
        assertThat(client().find(key("evicted")).orElseThrow().evicted()).isPresent();
        assertThat(client().find(key("released"))).isEmpty();
        client().released(held);
    }

    @Test
    default void leasesStayWhenTheirClientCloses() {
        Client gone = bench().anotherClient();
        LeaseRecord lease = gone.take(key("orphan"));
        gone.store().close();
        client().holds(lease);
        assertThat(client().refusal(key("orphan"))).isInstanceOf(Refusal.Held.class);
        bench().advancePast(TTL);
        assertThat(client().take(key("orphan")).token()).isGreaterThan(lease.token());
    }

    @Test
    default void aClosedClientAnswersNothingAndMayBeClosedAgain() {
        Client closed = bench().anotherClient();
        closed.store().close();
        closed.store().close();
        assertThatThrownBy(() -> closed.ask(ContractRequests.forKey(key("closed"))))
                .isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> closed.find(key("closed"))).isInstanceOf(StoreUnavailableException.class);
        assertThat(client().find(key("closed"))).isEmpty();
    }
}
