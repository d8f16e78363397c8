package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseRecord;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls whose answers were lost may be repeated. */
interface LostAnswerContract extends Contract {

    @Test
    default void anAcquireWhoseAnswerWasLostIsMadeAgainWithTheSameId() {
        AnswerLosingStore losing = new AnswerLosingStore(bench().openUnrecorded());
        Client unlucky = new Client(bench().recording(losing));
        AcquireRequest request = ContractRequests.forKey(key("unclear"));
        losing.loseNext(1);
        assertThatThrownBy(() -> unlucky.ask(request)).isInstanceOf(StoreUnavailableException.class);
        LeaseRecord stored = client().find(key("unclear")).orElseThrow();
        LeaseRecord lease = unlucky.take(request);
        assertThat(lease.token()).isEqualTo(stored.token());
        assertThat(lease.grantedAt()).isEqualTo(stored.grantedAt());
        unlucky.released(lease);
    }

    @Test
    default void severalKeysWhoseAnswerWasLostAreAskedForAgain() {
        AnswerLosingStore losing = new AnswerLosingStore(bench().openUnrecorded());
        Client unlucky = new Client(bench().recording(losing));
        AcquireRequest request = ContractRequests.forKeys(List.of(key("a"), key("b")));
        losing.loseNext(2);
        assertThatThrownBy(() -> unlucky.ask(request)).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> unlucky.ask(request)).isInstanceOf(StoreUnavailableException.class);
        List<AcquireAnswer.Grant> grants = unlucky.grants(request);
        grants.forEach(grant -> client().holds(grant.lease()));
    }

    @Test
    default void aReleaseWhoseAnswerWasLostIsMadeAgain() {
        AnswerLosingStore losing = new AnswerLosingStore(bench().openUnrecorded());
        Client unlucky = new Client(bench().recording(losing));
        LeaseRecord lease = unlucky.take(key("unclear"));
        losing.loseNext(1);
        assertThatThrownBy(() -> unlucky.release(lease)).isInstanceOf(StoreUnavailableException.class);
        LeaseRecord next = client().take(key("unclear"));
        assertThat(unlucky.release(lease)).isInstanceOf(ReleaseAnswer.Gone.class);
        client().holds(next);
    }

    @Test
    default void aRenewalWhoseAnswerWasLostIsMadeAgain() {
        AnswerLosingStore losing = new AnswerLosingStore(bench().openUnrecorded());
        Client unlucky = new Client(bench().recording(losing));
        LeaseRecord lease = unlucky.take(key("unclear"));
        losing.loseNext(1);
        assertThatThrownBy(() -> unlucky.renew(lease, TTL)).isInstanceOf(StoreUnavailableException.class);
        assertThat(unlucky.renewed(lease, TTL).token()).isEqualTo(lease.token());
    }
}
