package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Acquiring a key. */
interface AcquireContract extends Contract {

    @Test
    default void aFreeKeyIsGranted() {
        AcquireRequest request = ContractRequests.forKey(key("free"));
        AcquireAnswer.Grant grant = client().grant(request);
        assertThat(grant.predecessor()).isEmpty();
        assertThat(grant.lease().key()).isEqualTo(key("free"));
        assertThat(grant.lease().id()).isEqualTo(request.id());
        assertThat(grant.lease().holder()).isEqualTo(request.holder());
        assertThat(grant.lease().evicted()).isEmpty();
    }

    @Test
    default void theTimesOfAGrantAreSane() {
        LeaseRecord lease = client().take(key("times"));
        assertThat(lease.grantedAt()).isBeforeOrEqualTo(lease.observedAt());
        assertThat(lease.observedAt()).isBefore(lease.expiresAt());
        assertThat(Duration.between(lease.grantedAt(), lease.expiresAt()))
                .isBetween(TTL.minusMillis(1), TTL.plusMillis(1));
        assertThat(lease.remaining()).isBetween(TTL.minusSeconds(5), TTL.plusMillis(1));
    }

    @Test
    default void aHeldKeyIsRefusedWithTheFactsOfItsHolder() {
        LeaseRecord lease = client().take(key("held"));
        Refusal refusal = bench().anotherClient().refusal(key("held"));
        assertThat(refusal).isInstanceOf(Refusal.Held.class);
        LeaseRecord current = ((Refusal.Held) refusal).current();
        assertThat(current.id()).isEqualTo(lease.id());
        assertThat(current.token()).isEqualTo(lease.token());
        assertThat(current.holder()).isEqualTo(lease.holder());
        assertThat(current.observedAt()).isAfterOrEqualTo(lease.observedAt());
        assertThat(refusal.retryAfter()).isPositive().isLessThanOrEqualTo(TTL.plusMillis(1));
        assertThat(refusal.explanation()).contains("worker on host-1").contains("held");
    }

    @Test
    default void theHolderItselfIsRefusedUnderAnotherId() {
        client().take(key("held"));
        assertThat(client().refusal(key("held"))).isInstanceOf(Refusal.Held.class);
    }

    @Test
    default void askingAgainWithTheSameIdReturnsTheSameGrant() {
        AcquireRequest request = ContractRequests.forKey(key("again"));
        LeaseRecord first = client().take(request);
        advance(Duration.ofSeconds(5));
        LeaseRecord second = bench().anotherClient().take(request);
        assertThat(second.token()).isEqualTo(first.token());
        assertThat(second.remaining())
                .as("a repeated request does not extend")
                .isLessThanOrEqualTo(TTL.minusSeconds(5).plusMillis(1));
    }

    @Test
    default void anIdWhoseLeaseExpiredGetsANewTokenAndNotTheOldLease() {
        AcquireRequest request = ContractRequests.forKey(key("again"));
        LeaseRecord first = client().take(request);
        bench().advancePast(TTL);
        AcquireAnswer.Grant second = client().grant(request);
        assertThat(second.lease().token().isAfter(first.token())).isTrue();
        assertThat(second.predecessor()).isPresent();
    }

    @Test
    default void aRefusalWritesNothing() {
        client().take(ContractRequests.withLockDelay(key("busy")));
        LeaseRecord before = client().find(key("busy")).orElseThrow();
        Client other = bench().anotherClient();
        assertThat(bench().harness().writesNothing(() -> {
                    other.refusal(ContractRequests.forKey(key("busy"), TTL.plusSeconds(20)));
                    other.refusal(ContractRequests.forKeys(List.of(key("also"), key("busy"))));
                }))
                .isTrue();
        LeaseRecord after = client().find(key("busy")).orElseThrow();
        assertThat(after)
                .usingRecursiveComparison()
                .ignoringFields("observedAt")
                .isEqualTo(before);
        assertThat(client().find(key("also"))).isEmpty();
    }

    @Test
    default void aLeaseLongerThanTheStoreAllowsIsRefusedAsASettingAndNothingIsStored() {
        Duration tooLong = bench().capabilities().maxLease().plusSeconds(1);
        AcquireRequest good = ContractRequests.forKey(key("good"));
        AcquireRequest bad = ContractRequests.forKey(key("long"), tooLong);
        assertThatThrownBy(() -> client().ask(bad))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("maxLease");
        assertThatThrownBy(() -> client().store().tryAcquire(List.of(good, bad)))
                .isInstanceOf(InvalidSettingException.class);
        assertThat(client().store().find(List.of(key("long"), key("good")))).allMatch(Optional::isEmpty);
        client().take(ContractRequests.forKey(
                key("long"), bench().capabilities().maxLease()));
    }

    @Test
    default void aHolderWithARunAndANonAsciiLabelRoundTrips() {
        RunId run =
                RunId.create(Environment.system().clock(), Environment.system().random());
        Holder holder = new Holder("höst-β/1", "Łukasz’ “nightly” 🚀 run; DROP TABLE '%_\\").forRun(run);
        client().take(new AcquireRequest(
                List.of(key("who")),
                ContractRequests.freshId(),
                holder,
                ContractRequests.forKey(key("who")).terms(),
                false,
                AcquireRequest.Takeover.allowed()));
        assertThat(client().find(key("who")).orElseThrow().holder()).isEqualTo(holder);
        Refusal refusal = bench().anotherClient().refusal(key("who"));
        assertThat(((Refusal.Held) refusal).current().holder()).isEqualTo(holder);
    }

    @Test
    default void aHolderAsLongAsAllowedRoundTrips() {
        Holder holder = new Holder("i".repeat(Holder.MAX_BYTES), "é".repeat(Holder.MAX_BYTES / 2));
        AcquireRequest request = AcquireRequest.of(key("who"), ContractRequests.freshId(), holder, TTL);
        client().take(request);
        assertThat(client().find(key("who")).orElseThrow().holder()).isEqualTo(holder);
    }

    @Test
    default void keysThatLookAlikeAreDifferent() {
        List<LockKey> keys = List.of(
                key("job"),
                key("Job"),
                key("JOB"),
                key("job "),
                key(" job"),
                key("job/"),
                key("jób"),
                LockKey.of("Acme", "job"),
                LockKey.of("acme2", "job"));
        keys.forEach(key -> client().take(key));
        keys.forEach(key -> assertThat(client().refusal(key).key()).isEqualTo(key));
    }

    @Test
    default void namesWithAnyCharacterAreKeptAsTheyAre() {
        List<LockKey> keys = List.of(
                key("it's \"quoted\" `so`"),
                key("100%_\\done"),
                key("a:b:c{d}[e]*?^$"),
                key("😀/日本語/ß"),
                key("x".repeat(LockKey.MAX_NAME_BYTES)),
                key("x".repeat(LockKey.MAX_NAME_BYTES - 1) + "y"),
                key("é".repeat(LockKey.MAX_NAME_BYTES / 2)));
        List<LeaseRecord> leases = keys.stream().map(key -> client().take(key)).toList();
        leases.forEach(lease -> client().holds(lease));
        leases.forEach(lease -> client().released(lease));
        assertThat(client().store().find(keys)).allMatch(Optional::isEmpty);
    }

    @Test
    default void theSameNameInTwoTenantsIsIndependent() {
        LeaseRecord one = client().take(LockKey.of("tenant-a", "report"));
        LeaseRecord two = client().take(LockKey.of("tenant-b", "report"));
        client().released(one);
        client().holds(two);
        client().take(LockKey.of("tenant-a", "report"));
    }
}
