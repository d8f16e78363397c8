package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Run;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs and bare leases in one key space. */
interface MixedContract extends RunContract {

    private Client bare() {
        return new Client(client().store());
    }

    @Test
    default void aBareLeaseMeetsWhateverARunIsDoing() {
        Run run = client().starts(key("mixed"), spec()).run();
        RunRefusal.Reserved reserved = as(RunRefusal.Reserved.class, bare().refusal(key("mixed")));
        assertThat(reserved.run()).isEqualTo(run.id());
        Claimed work = client().claim();
        assertThat(bare().refusal(key("mixed"))).isInstanceOf(Refusal.Held.class);
        client().succeeds(work);
        LeaseRecord lease = bare().take(key("mixed"));
        assertThat(lease.token()).isGreaterThan(work.lease().token());
    }

    @Test
    default void aRunMeetsABareLeaseAndHasTheKeyWhenItIsReleased() {
        LeaseRecord lease = bare().take(key("handed"));
        assertThat(client().refused(key("handed"), spec())).isInstanceOf(Refusal.Held.class);
        Run queued = client().queues(key("handed"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        assertThat(bare().release(lease)).isInstanceOf(ReleaseAnswer.Released.class);
        client().is(queued.id(), RunState.PENDING);
        assertThat(bare().refusal(key("handed"))).isInstanceOf(RunRefusal.Reserved.class);
        assertThat(client().claim().lease().token()).isGreaterThan(lease.token());
    }

    @Test
    default void aBareLeaseThatRanOutMakesRoomForTheLineFirst() {
        LeaseRecord lease = bare().take(key("ran-out"));
        Run queued = client().queues(key("ran-out"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        advance(Duration.ofSeconds(31));
        assertThat(bare().refusal(key("ran-out")))
                .as("a bare acquire does not overtake the queue")
                .isInstanceOf(RunRefusal.Reserved.class);
        client().is(queued.id(), RunState.PENDING);
        assertThat(bare().release(lease)).isInstanceOf(ReleaseAnswer.Gone.class);
    }

    @Test
    default void aBareLeaseThatRanOutMakesRoomForANewcomer() {
        LeaseRecord lease = bare().take(key("newcomer"));
        advance(Duration.ofSeconds(31));
        client().starts(key("newcomer"), spec());
        assertThat(client().claim().lease().token()).isGreaterThan(lease.token());
    }

    @Test
    default void whoReleasesTheLeaseOfARunSaysThatItHasStopped() {
        client().starts(key("given-back"), spec());
        Claimed work = client().claim();
        assertThat(bare().release(work.lease())).isInstanceOf(ReleaseAnswer.Released.class);
        client().ended(work.run().id(), RunState.FAILED, "WORKER_TIMEOUT");
        bare().take(key("given-back"));
    }

    @Test
    default void aRunWhoseLeaseIsRenewedForAShorterTimeIsLostWhenThatIsOver() {
        client().starts(key("shorter"), spec());
        Claimed work = client().claim();
        LeaseRecord lease = work.lease();
        client().store()
                .renew(List.of(new RenewRequest(lease.key(), lease.id(), lease.token(), Duration.ofSeconds(5))));
        advance(Duration.ofSeconds(6));
        client().store().upkeep().sweepRuns(10);
        client().ended(work.run().id(), RunState.FAILED, "WORKER_TIMEOUT");
    }

    @Test
    default void sweepingLeasesSettlesTheirRuns() {
        client().starts(key("swept"), spec());
        Claimed work = client().claim();
        Run next = client().queues(key("swept"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        advance(Duration.ofSeconds(31));
        assertThat(client().store().sweep(10))
                .extracting(LeaseRecord::token)
                .containsExactly(work.lease().token());
        client().ended(work.run().id(), RunState.FAILED, "WORKER_TIMEOUT");
        client().is(next.id(), RunState.PENDING);
    }
}
