package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many requests in one call, and several keys in one request. */
interface BatchContract extends Contract {

    @Test
    default void answersComeInTheOrderOfTheRequests() {
        client().take(key("held"));
        List<AcquireRequest> requests = List.of(
                ContractRequests.forKey(key("z")),
                ContractRequests.forKey(key("held")),
                ContractRequests.forKey(key("a")));
        Answers<AcquireAnswer> answers = client().store().tryAcquire(requests);
        assertThat(answers.size()).isEqualTo(3);
        assertThat(granted(answers.get(0)).get(0).id())
                .isEqualTo(requests.get(0).id());
        assertThat(answers.get(1)).isInstanceOf(AcquireAnswer.Refused.class);
        assertThat(granted(answers.get(2)).get(0).id())
                .isEqualTo(requests.get(2).id());
    }

    @Test
    default void anEmptyBatchHasNoAnswers() {
        assertThat(client().store().tryAcquire(List.of()).size()).isZero();
        assertThat(client().store().renew(List.of()).size()).isZero();
        assertThat(client().store().release(List.of()).size()).isZero();
    }

    @Test
    default void requestsForOneKeyInABatchAreAnsweredOneAfterTheOther() {
        AcquireRequest first = ContractRequests.forKey(key("twice"));
        AcquireRequest second = ContractRequests.forKey(key("twice"));
        Answers<AcquireAnswer> answers = client().store().tryAcquire(List.of(first, second, first));
        LeaseRecord lease = granted(answers.get(0)).get(0);
        assertThat(answers.get(1)).isInstanceOf(AcquireAnswer.Refused.class);
        Refusal refusal = ((AcquireAnswer.Refused) answers.get(1)).refusal();
        assertThat(((Refusal.Held) refusal).current().id()).isEqualTo(first.id());
        assertThat(granted(answers.get(2)).get(0).token()).isEqualTo(lease.token());
    }

    @Test
    default void releasingTwiceInABatchReleasesOnce() {
        ReleaseRequest release = releaseOf(client().take(key("twice")));
        Answers<ReleaseAnswer> answers = client().store().release(List.of(release, release));
        assertThat(answers.get(0)).isInstanceOf(ReleaseAnswer.Released.class);
        assertThat(answers.get(1)).isInstanceOf(ReleaseAnswer.Gone.class);
    }

    @Test
    default void aBatchOfRenewalsAnswersEachForItself() {
        LeaseRecord good = client().take(key("good"));
        LeaseRecord gone = client().take(key("gone"));
        client().released(gone);
        LeaseRecord evicted = client().take(key("evicted"));
        client().evicted(evicted);
        Answers<RenewAnswer> answers =
                client().store().renew(List.of(renewalOf(evicted), renewalOf(good), renewalOf(gone), renewalOf(good)));
        assertThat(answers.get(0)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(answers.get(1)).isInstanceOf(RenewAnswer.Renewed.class);
        assertThat(answers.get(2)).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(answers.get(3)).isInstanceOf(RenewAnswer.Renewed.class);
    }

    @Test
    default void fiveHundredKeysGoInOneCall() {
        List<AcquireRequest> requests = IntStream.range(0, 500)
                .mapToObj(i -> ContractRequests.forKey(key("bulk/" + i)))
                .toList();
        Answers<AcquireAnswer> taken = client().store().tryAcquire(requests);
        List<LeaseRecord> leases = IntStream.range(0, 500)
                .mapToObj(i -> granted(taken.get(i)).get(0))
                .toList();
        assertThat(leases)
                .extracting(LeaseRecord::id)
                .isEqualTo(requests.stream().map(AcquireRequest::id).toList());
        Answers<RenewAnswer> renewed = client().store()
                .renew(leases.stream().map(BatchContract::renewalOf).toList());
        assertThat(IntStream.range(0, 500).mapToObj(renewed::get)).hasOnlyElementsOfType(RenewAnswer.Renewed.class);
        assertThat(client().store()
                        .find(requests.stream().map(r -> r.keys().get(0)).toList()))
                .allMatch(found -> found.orElseThrow().isLive());
        Answers<ReleaseAnswer> released = client().store()
                .release(leases.stream().map(BatchContract::releaseOf).toList());
        assertThat(IntStream.range(0, 500).mapToObj(released::get)).hasOnlyElementsOfType(ReleaseAnswer.Released.class);
    }

    @Test
    default void severalKeysAreGrantedTogetherInTheirOrder() {
        List<LockKey> keys = List.of(key("c"), key("a"), LockKey.of("Zeta", "b"), key("b"));
        AcquireRequest request = ContractRequests.forKeys(keys);
        List<LeaseRecord> leases = granted(client().ask(request));
        assertThat(leases)
                .extracting(LeaseRecord::key)
                .isEqualTo(request.keys())
                .isSorted();
        assertThat(leases).extracting(LeaseRecord::id).containsOnly(request.id());
        leases.forEach(lease -> client().holds(lease));
        client().released(leases.get(1));
        client().holds(leases.get(0));
    }

    @Test
    default void ifOneOfSeveralKeysIsHeldNoneIsGranted() {
        for (String held : List.of("a", "b", "c")) {
            LeaseRecord lease = client().take(key(held));
            Refusal refusal =
                    bench().anotherClient().refusal(ContractRequests.forKeys(List.of(key("a"), key("b"), key("c"))));
            assertThat(refusal.key()).isEqualTo(key(held));
            client().released(lease);
            assertThat(client().store().find(List.of(key("a"), key("b"), key("c"))))
                    .as("after a refusal because of %s", held)
                    .allMatch(found -> found.isEmpty());
        }
    }

    @Test
    default void severalKeysAskedForAgainReturnTheSameTokens() {
        AcquireRequest request = ContractRequests.forKeys(List.of(key("a"), key("b"), key("c")));
        List<LeaseRecord> first = granted(client().ask(request));
        List<LeaseRecord> again = granted(bench().anotherClient().ask(request));
        assertThat(again)
                .extracting(LeaseRecord::token)
                .isEqualTo(first.stream().map(LeaseRecord::token).toList());
        client().released(first.get(1));
        assertThat(client().refusal(request))
                .as("one of the keys is released: the grant is no longer complete")
                .isInstanceOf(Refusal.Held.class);
        assertThat(client().find(key("b"))).isEmpty();
    }

    @Test
    default void severalKeysInABatchWithOthersAreAllOrNone() {
        AcquireRequest pair = ContractRequests.forKeys(List.of(key("a"), key("b")));
        AcquireRequest single = ContractRequests.forKey(key("b"));
        AcquireRequest overlapping = ContractRequests.forKeys(List.of(key("b"), key("c")));
        Answers<AcquireAnswer> answers = client().store().tryAcquire(List.of(single, pair, overlapping));
        assertThat(granted(answers.get(0))).hasSize(1);
        assertThat(answers.get(1)).isInstanceOf(AcquireAnswer.Refused.class);
        assertThat(answers.get(2)).isInstanceOf(AcquireAnswer.Refused.class);
        assertThat(client().find(key("a"))).isEmpty();
        assertThat(client().find(key("c"))).isEmpty();
    }

    @Test
    default void asManyKeysAsAllowedAreGrantedAtOnce() {
        List<LockKey> keys = IntStream.range(0, AcquireRequest.MAX_KEYS)
                .mapToObj(i -> key("many/" + i))
                .toList();
        List<LeaseRecord> leases = granted(client().ask(ContractRequests.forKeys(keys)));
        assertThat(leases).hasSize(AcquireRequest.MAX_KEYS);
        assertThat(Collections.frequency(
                        leases.stream().map(LeaseRecord::id).toList(),
                        leases.get(0).id()))
                .isEqualTo(AcquireRequest.MAX_KEYS);
    }

    @Test
    default void asManyKeysAsAllowedAreRefusedThoughEachWasTakenTogetherWithAnother() {
        List<LockKey> taken = new ArrayList<>();
        for (int i = 0; i < AcquireRequest.MAX_KEYS; i++) {
            taken.add(key("one/" + i));
            granted(client().ask(ContractRequests.forKeys(List.of(key("one/" + i), key("other/" + i)))));
        }
        assertThat(bench().anotherClient().refusal(ContractRequests.forKeys(taken)))
                .isInstanceOf(Refusal.Held.class);
    }

    private static List<LeaseRecord> granted(AcquireAnswer answer) {
        assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class);
        return ((AcquireAnswer.Granted) answer)
                .grants().stream().map(AcquireAnswer.Grant::lease).toList();
    }

    private static ReleaseRequest releaseOf(LeaseRecord lease) {
        return new ReleaseRequest(lease.key(), lease.id(), lease.token());
    }

    private static RenewRequest renewalOf(LeaseRecord lease) {
        return new RenewRequest(lease.key(), lease.id(), lease.token(), TTL);
    }
}
