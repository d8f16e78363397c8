package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import org.junit.jupiter.api.Test;

/** Releasing a key. */
interface ReleaseContract extends Contract {

    @Test
    default void aReleasedKeyIsFreeAtOnce() {
        LeaseRecord lease = client().take(key("short-work"));
        ReleaseAnswer answer = client().release(lease);
        assertThat(answer).isInstanceOf(ReleaseAnswer.Released.class);
        LeaseRecord ended = ((ReleaseAnswer.Released) answer).ended();
        assertThat(ended.token()).isEqualTo(lease.token());
        assertThat(ended.holder()).isEqualTo(lease.holder());
        assertThat(client().find(key("short-work"))).isEmpty();
        AcquireAnswer.Grant next = bench().anotherClient().grant(ContractRequests.forKey(key("short-work")));
        assertThat(next.predecessor()).as("a released lease did not expire").isEmpty();
    }

    @Test
    default void aReleasedKeyHasNoLockDelay() {
        client().released(client().take(ContractRequests.withLockDelay(key("calm"))));
        bench().anotherClient().take(key("calm"));
    }

    @Test
    default void releasingTwiceIsGone() {
        LeaseRecord lease = client().take(key("twice"));
        client().released(lease);
        ReleaseAnswer again = client().release(lease);
        assertThat(again).isInstanceOf(ReleaseAnswer.Gone.class);
        assertThat(((ReleaseAnswer.Gone) again).current()).isNull();
    }

    @Test
    default void releasingNeedsBothIdAndToken() {
        LeaseRecord lease = client().take(key("mine"));
        assertThat(client().release(ContractRequests.withOtherId(lease))).isInstanceOf(ReleaseAnswer.Gone.class);
        assertThat(client().release(
                                ContractRequests.withToken(lease, lease.token().value() - 1)))
                .isInstanceOf(ReleaseAnswer.Gone.class);
        assertThat(client().release(
                                ContractRequests.withToken(lease, lease.token().value() + 1)))
                .isInstanceOf(ReleaseAnswer.Gone.class);
        client().holds(lease);
        client().released(lease);
    }

    @Test
    default void releasingAfterATakeOverChangesNothing() {
        LeaseRecord old = client().take(key("zombie"));
        bench().advancePast(TTL);
        LeaseRecord current = bench().anotherClient().take(key("zombie"));
        ReleaseAnswer answer = client().release(old);
        assertThat(answer).isInstanceOf(ReleaseAnswer.Gone.class);
        assertThat(((ReleaseAnswer.Gone) answer).current())
                .extracting(LeaseRecord::token)
                .isEqualTo(current.token());
        client().holds(current);
    }

    @Test
    default void releasingAnExpiredLeaseLapsesAndFreesTheKeyWithoutLockDelay() {
        LeaseRecord lease = client().take(ContractRequests.withLockDelay(key("late")));
        bench().advancePast(TTL);
        ReleaseAnswer answer = client().release(lease);
        assertThat(answer).isInstanceOf(ReleaseAnswer.Lapsed.class);
        assertThat(((ReleaseAnswer.Lapsed) answer).ended().isExpired()).isTrue();
        assertThat(client().find(key("late"))).isEmpty();
        AcquireAnswer.Grant next = bench().anotherClient().grant(ContractRequests.forKey(key("late")));
        assertThat(next.predecessor()).isEmpty();
        assertThat(client().release(lease)).isInstanceOf(ReleaseAnswer.Gone.class);
    }

    @Test
    default void releasingAnEvictedLeaseLapsesAndFreesTheKeyAtOnce() {
        LeaseRecord lease = client().take(ContractRequests.withLockDelay(key("evicted")));
        client().evicted(lease);
        ReleaseAnswer answer = client().release(lease);
        assertThat(answer).isInstanceOf(ReleaseAnswer.Lapsed.class);
        assertThat(((ReleaseAnswer.Lapsed) answer).ended().evicted()).isPresent();
        bench().anotherClient().take(key("evicted"));
    }

    @Test
    default void anyClientWithIdAndTokenMayRelease() {
        LeaseRecord lease = client().take(key("handed-over"));
        bench().anotherClient().released(lease);
        assertThat(client().find(key("handed-over"))).isEmpty();
    }

    @Test
    default void releasingOneKeyLeavesOthersAlone() {
        LeaseRecord one = client().take(key("one"));
        LeaseRecord two = client().take(key("two"));
        client().released(one);
        client().holds(two);
    }
}
