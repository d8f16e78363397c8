package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients whose clocks differ by hours, and jump. The store's clock decides. */
interface ClockContract extends Contract {

    /** The error of a client's clock. */
    Duration HOURS = Duration.ofHours(7);

    @Test
    default void theClocksOfClientsDecideNothing() {
        WrongClock fast = new WrongClock(HOURS);
        WrongClock slow = new WrongClock(HOURS.negated());
        Client ahead = bench().clientIn(fast);
        Client behind = bench().clientIn(slow);
        LeaseRecord lease = ahead.take(key("clocks"));
        assertThat(Duration.between(lease.grantedAt(), lease.expiresAt())).isEqualTo(ContractRequests.TTL);
        Refusal refusal = behind.refusal(key("clocks"));
        assertThat(refusal).isInstanceOf(Refusal.Held.class);
        assertThat(((Refusal.Held) refusal).current().remaining())
                .isBetween(ContractRequests.TTL.minusSeconds(20), ContractRequests.TTL);

        fast.jump(HOURS.multipliedBy(-3));
        slow.jump(HOURS.multipliedBy(3));
        assertThat(behind.refusal(key("clocks"))).isInstanceOf(Refusal.Held.class);
        assertThat(ahead.renewed(lease, ContractRequests.TTL).expiresAt())
                .isBefore(lease.expiresAt().plusSeconds(20));
        advance(ContractRequests.TTL.minusSeconds(10));
        assertThat(behind.refusal(key("clocks"))).isInstanceOf(Refusal.Held.class);
        bench().advancePast(Duration.ofSeconds(10));
        LeaseRecord next = behind.take(key("clocks"));
        assertThat(next.token()).isGreaterThan(lease.token());
        ahead.lost(lease);
        behind.released(next);
        assertThat(ahead.take(key("clocks")).token())
                .as("tokens increase regardless of the client's clock")
                .isGreaterThan(next.token());
    }

    @Test
    @Tag("locks")
    default void holdersWithWrongClocksKeepEachOtherOut() throws Exception {
        WrongClock fast = new WrongClock(HOURS);
        WrongClock slow = new WrongClock(HOURS.negated());
        Locks ahead = bench().locksIn(fast);
        Locks behind = bench().locksIn(slow);
        Lease lease = ahead.tryAcquire(key("clocks"), HoldingContract.EAGER).orElseThrow();
        assertThat(((Acquisition.Refused) behind.tryAcquire(key("clocks"))).refusal())
                .isInstanceOf(Refusal.Held.class);
        fast.jump(HOURS.multipliedBy(-2));
        lease.checkpoint();
        assertThat(lease.remaining()).isPositive();
        lease.release();

        Lease next = behind.tryAcquire(key("clocks"), HoldingContract.EAGER).orElseThrow();
        assertThat(next.token()).isGreaterThan(lease.token());
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        next.onLost(told::complete);
        // As after a long sleep of the machine: an unnecessary stop is better than work without a lease.
        slow.jump(HOURS);
        assertThat(told.get(bench().patience().toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossCause.UNCONFIRMED);
        next.close();
        MutualExclusionProbe.Result result = MutualExclusionProbe.threads(List.of(ahead, behind), key("clocks"), 4, 10);
        assertThat(result.counted()).isEqualTo(result.turns());
    }
}
