package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Run;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.AcquireRequest.Takeover;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunViews;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs on keys whose last holder vanished and required a take-over probe. */
interface ProbedKeyContract extends RunContract {

    private Client bare() {
        return new Client(client().store());
    }

    private static AcquireRequest looking(LockKey key) {
        return ContractRequests.forKey(key).taking(Takeover.onlyCleared(Map.of()));
    }

    private static AcquireRequest havingLooked(LeaseRecord lease) {
        return ContractRequests.forKey(lease.key()).taking(Takeover.onlyCleared(Map.of(lease.key(), lease.token())));
    }

    private LeaseRecord vanished(LockKey key) {
        LeaseRecord lease = bare().take(looking(key));
        advance(Duration.ofSeconds(31));
        return lease;
    }

    private Run queue(LockKey key) {
        return client().queues(key, spec().policy(ConflictPolicy.QUEUE)).run();
    }

    @Test
    default void noRunStartsUntilSomebodyHasLooked() {
        LeaseRecord lease = vanished(key("unseen"));
        for (ConflictPolicy policy :
                new ConflictPolicy[] {ConflictPolicy.REJECT, ConflictPolicy.SKIP, ConflictPolicy.JOIN}) {
            Refusal refusal = client().refused(key("unseen"), spec().policy(policy));
            assertThat(as(Refusal.AwaitsProbe.class, refusal).expired().token()).isEqualTo(lease.token());
        }
        Run queued = queue(key("unseen"));
        assertThat(client().store().queries().explain(queued.id()).orElseThrow().obstacle())
                .isInstanceOf(Refusal.AwaitsProbe.class);
        client().store().upkeep().sweepRuns(10);
        client().store().sweep(10);
        assertThat(client().claim(10)).isEmpty();
        client().is(queued.id(), RunState.QUEUED);
    }

    @Test
    default void aLookThatClearsTheKeyLetsTheLineGoFirst() {
        LeaseRecord lease = vanished(key("looked"));
        Run queued = queue(key("looked"));
        assertThat(bare().refusal(looking(key("looked"))))
                .as("a probe is required")
                .isInstanceOf(Refusal.AwaitsProbe.class);
        client().is(queued.id(), RunState.QUEUED);
        assertThat(bare().refusal(havingLooked(lease))).isInstanceOf(RunRefusal.Reserved.class);
        client().is(queued.id(), RunState.PENDING);
        assertThat(client().claim().lease().token()).isGreaterThan(lease.token());
    }

    @Test
    default void aLookThatClearsTheKeyHasItIfNobodyWaits() {
        LeaseRecord lease = vanished(key("unprobed"));
        client().refused(key("unprobed"), spec());
        AcquireAnswer.Grant grant = bare().grant(havingLooked(lease));
        assertThat(grant.predecessor().map(LeaseRecord::token)).contains(lease.token());
    }

    @Test
    default void whoDoesNotLookDoesNotBargePastTheLine() {
        vanished(key("barge"));
        Run queued = queue(key("barge"));
        assertThat(bare().refusal(key("barge"))).isInstanceOf(RunRefusal.QueuedAhead.class);
        client().is(queued.id(), RunState.QUEUED);
    }

    @Test
    default void evictingSaysThatSomebodyHasLooked() {
        LeaseRecord lease = vanished(key("evicted"));
        Run queued = queue(key("evicted"));
        bare().evicted(lease);
        client().is(queued.id(), RunState.PENDING);
        assertThat(client().store().audit().records(key("evicted")))
                .as("the eviction is in the log")
                .anySatisfy(record -> {
                    assertThat(record.action()).isEqualTo("evicted");
                    assertThat(record.token()).isEqualTo(lease.token());
                });
        assertThat(client().claim().lease().token()).isGreaterThan(lease.token());
    }

    @Test
    default void afterAnEvictionANewcomerStarts() {
        LeaseRecord lease = vanished(key("cleared"));
        bare().evicted(lease);
        client().starts(key("cleared"), spec());
    }

    @Test
    default void aHolderThatComesBackAndStopsLetsTheLineGo() {
        LeaseRecord lease = vanished(key("back"));
        Run queued = queue(key("back"));
        assertThat(bare().release(lease)).isInstanceOf(ReleaseAnswer.Lapsed.class);
        client().is(queued.id(), RunState.PENDING);
    }

    @Test
    default void aCallerInLineIsToldThatSomebodyHasToLook() {
        vanished(key("caller"));
        SubmitRequest.Caller caller = RunClient.caller();
        Run run = client().submitted(SubmitRequest.of(freshRun(), key("caller"), spec().policy(ConflictPolicy.QUEUE))
                .by(caller));
        TurnAnswer.Waiting waiting = as(TurnAnswer.Waiting.class, client().takeTurn(run, caller));
        assertThat(waiting.obstacle()).isInstanceOf(Refusal.AwaitsProbe.class);
    }

    @Test
    default void aKeyThatAwaitsALookIsShown() {
        RunViews views = client().store().views();
        LeaseRecord lease = vanished(key("shown"));
        KeyView view = views.keys(KeyQuery.ofTenant("acme")).get(0);
        assertThat(view.currentLease().map(LeaseRecord::token)).contains(lease.token());
        assertThat(view.currentLease().map(LeaseRecord::isExpired)).contains(true);
    }
}
