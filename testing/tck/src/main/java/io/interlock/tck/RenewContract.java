package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.RenewAnswer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Renewing a lease. */
interface RenewContract extends Contract {

    @Test
    default void renewingExtendsALeaseFromNowOn() {
        LeaseRecord lease = client().take(key("long-work"));
        advance(TTL.minusSeconds(10));
        LeaseRecord renewed = client().renewed(lease, TTL);
        assertThat(renewed.id()).isEqualTo(lease.id());
        assertThat(renewed.token()).isEqualTo(lease.token());
        assertThat(renewed.holder()).isEqualTo(lease.holder());
        assertThat(renewed.remaining()).isBetween(TTL.minusSeconds(5), TTL.plusMillis(1));
        advance(TTL.minusSeconds(10));
        bench().anotherClient().refusal(key("long-work"));
        client().holds(lease);
    }

    @Test
    default void aRenewalSaysHowLongFromNowALeaseLastsAlsoIfThatIsShorter() {
        LeaseRecord lease = client().take(ContractRequests.forKey(key("short-rest"), Duration.ofSeconds(60)));
        Duration rest = Duration.ofSeconds(10);
        LeaseRecord renewed = client().renewed(lease, rest);
        assertThat(renewed.remaining()).isBetween(rest.minusSeconds(5), rest.plusMillis(1));
        assertThat(client().find(key("short-rest")).orElseThrow().remaining()).isLessThanOrEqualTo(rest.plusMillis(1));
        bench().anotherClient().refusal(key("short-rest"));
        bench().advancePast(rest);
        assertThat(client().lost(lease).cause()).isEqualTo(LossCause.EXPIRED);
        bench().anotherClient().take(key("short-rest"));
    }

    @Test
    default void anExpiredLeaseIsNeverRenewed() {
        LeaseRecord lease = client().take(key("late"));
        bench().advancePast(TTL);
        assertThat(client().lost(lease).cause()).isEqualTo(LossCause.EXPIRED);
        assertThat(client().find(key("late")).orElseThrow().isExpired()).isTrue();
        bench().anotherClient().take(key("late"));
    }

    @Test
    default void renewingAfterATakeOverChangesNothing() {
        LeaseRecord old = client().take(key("zombie"));
        bench().advancePast(TTL);
        LeaseRecord current = bench().anotherClient().take(key("zombie"));
        RenewAnswer.Lost lost = client().lost(old);
        assertThat(lost.cause()).isEqualTo(LossCause.GONE);
        assertThat(lost.current()).extracting(LeaseRecord::token).isEqualTo(current.token());
        client().holds(current);
        assertThat(client().find(key("zombie")).orElseThrow().remaining()).isLessThanOrEqualTo(TTL.plusMillis(1));
    }

    @Test
    default void renewingNeedsBothIdAndToken() {
        LeaseRecord lease = client().take(key("mine"));
        assertThat(client().lost(ContractRequests.withOtherId(lease)).cause()).isEqualTo(LossCause.GONE);
        assertThat(client().lost(ContractRequests.withToken(lease, lease.token().value() + 1))
                        .cause())
                .isEqualTo(LossCause.GONE);
        assertThat(client().lost(ContractRequests.withToken(lease, lease.token().value() - 1))
                        .cause())
                .isEqualTo(LossCause.GONE);
        client().holds(lease);
    }

    @Test
    default void renewingWhatWasReleasedIsLost() {
        LeaseRecord lease = client().take(key("done"));
        client().released(lease);
        RenewAnswer.Lost lost = client().lost(lease);
        assertThat(lost.cause()).isEqualTo(LossCause.GONE);
        assertThat(lost.current()).isNull();
        assertThat(client().find(key("done"))).isEmpty();
    }

    @Test
    default void renewingAKeyNobodyEverHadIsLostAndStoresNothing() {
        LeaseRecord lease = client().take(key("other"));
        LeaseRecord unknown = new LeaseRecord(
                key("never"),
                lease.id(),
                lease.holder(),
                lease.token(),
                lease.grantedAt(),
                lease.expiresAt(),
                lease.observedAt(),
                null);
        assertThat(client().lost(unknown).cause()).isEqualTo(LossCause.GONE);
        assertThat(client().find(key("never"))).isEmpty();
    }

    @Test
    default void renewingForLongerThanTheStoreAllowsIsRefusedAsASetting() {
        LeaseRecord lease = client().take(key("greedy"));
        Duration tooLong = bench().capabilities().maxLease().plusSeconds(1);
        assertThatThrownBy(() -> client().renew(lease, tooLong)).isInstanceOf(InvalidSettingException.class);
        assertThat(client().find(key("greedy")).orElseThrow().remaining()).isLessThanOrEqualTo(TTL.plusMillis(1));
    }

    @Test
    default void aRenewedLeaseExpiresFromItsNewEnd() {
        LeaseRecord lease = client().take(key("long-work"));
        advance(Duration.ofSeconds(20));
        client().renewed(lease, TTL);
        bench().advancePast(TTL);
        bench().anotherClient().take(key("long-work"));
    }

    @Test
    default void aHeldKeyStaysRefusedWhileItIsRenewed() {
        LeaseRecord lease = client().take(key("long-work"));
        Client other = bench().anotherClient();
        for (int i = 0; i < 5; i++) {
            advance(TTL.minusSeconds(10));
            client().renewed(lease, TTL);
            assertThat(other.refusal(key("long-work"))).isInstanceOf(Refusal.Held.class);
        }
    }
}
