package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.LossCause;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.BeatAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.Answers;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Somebody changes the tables by hand. */
class TamperedRunsTest {

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final RunStore store = harness.open(Environment.system());

    @AfterEach
    void close() {
        store.close();
        harness.close();
    }

    @Test
    void theDatabaseItselfRefusesASecondRunUnderWay() {
        RunWords.queued(store, "k");
        RunWords.queued(store, "k");
        assertThatThrownBy(() -> server.execute("UPDATE " + harness.table("run") + " SET state = 'PENDING'"))
                .hasMessageContaining("interlock_run_one_per_key");
        RunWords.claim(store);
        assertThatThrownBy(() -> server.execute(
                        "UPDATE " + harness.table("run") + " SET state = 'PENDING' WHERE state = 'QUEUED'"))
                .hasMessageContaining("interlock_run_one_per_key");
    }

    @Test
    void ofTwoRunsThatCountAsRunningNoneIsRight() {
        RunWords.queued(store, "k");
        Run second = RunWords.queued(store, "k");
        Run third = RunWords.queued(store, "k");
        Claimed work = RunWords.claim(store);
        server.execute(
                "DROP INDEX " + harness.table("run_one_per_key"),
                "UPDATE " + harness.table("run") + " SET state = 'RUNNING', turn_attempt = 1, attempts = 1,"
                        + " turn_token = 1, turn_lease = gen_random_uuid(), turn_instance = 'x', turn_label = 'y',"
                        + " turn_since = clock_timestamp() WHERE id = '" + second.id() + "'");
        assertThat(store.sweepRuns(10)).hasSize(2);
        ended(work.run().id(), RunError.OVERLAPPING_GRANTS);
        ended(second.id(), RunError.OVERLAPPING_GRANTS);
        assertThat(store.find(List.of(work.run().key())).get(0).orElseThrow().evicted())
                .isPresent();
        assertThat(state(third)).as("whoever works may still work").isEqualTo(RunState.QUEUED);
        assertThat(store.finish(List.of(RunWords.finishing(work))).only()).isInstanceOf(FinishAnswer.LeaseLost.class);
        assertThat(state(third)).isEqualTo(RunState.PENDING);
    }

    @Test
    void aRunWhoseLeaseIsGoneFailsAndTheNextHasTheKey() {
        RunWords.queued(store, "k");
        Run next = RunWords.queued(store, "k");
        Claimed work = RunWords.claim(store);
        server.execute("DELETE FROM " + harness.table("lease"));
        store.sweepRuns(10);
        ended(work.run().id(), RunError.LOCK_STATE_LOST);
        assertThat(state(next)).isEqualTo(RunState.PENDING);
    }

    @Test
    void whoeverComesFirstFindsThatTheLeaseIsGone() {
        RunWords.queued(store, "k");
        Claimed work = RunWords.claim(store);
        server.execute("DELETE FROM " + harness.table("lease"));
        RunWords.submitted(store, RunWords.submitting("k", ConflictPolicy.REJECT));
        ended(work.run().id(), RunError.LOCK_STATE_LOST);
    }

    @Test
    void aBareLeaseIsNotGrantedOverALostReservation() {
        Run run = RunWords.queued(store, "k");
        server.execute("DELETE FROM " + harness.table("lease"));
        assertThatThrownBy(() -> Bench.take(store, "k")).hasMessageContaining("not granted");
        assertThat(RunWords.claim(store).run().id()).isEqualTo(run.id());
    }

    @Test
    void aReservationThatIsGoneIsMadeAnew() {
        Run run = RunWords.queued(store, "k");
        RunWords.queued(store, "k");
        server.execute("DELETE FROM " + harness.table("lease"));
        store.sweepRuns(10);
        assertThat(RunWords.claim(store).run().id()).isEqualTo(run.id());
    }

    @Test
    void aKeyKeptForARunThatIsGoneIsFree() {
        RunWords.queued(store, "bare");
        RunWords.queued(store, "run");
        server.execute("DELETE FROM " + harness.table("run"));
        Answers<AcquireAnswer> answers = store.tryAcquire(List.of(Bench.asking("bare"), Bench.asking("other")));
        assertThat(List.of(answers.get(0), answers.get(1)))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class));
        RunWords.submitted(store, RunWords.submitting("run", ConflictPolicy.REJECT));
        RunWords.claim(store);
    }

    @Test
    void aRunThatIsGoneFailsNobodyElsesHeartbeat() {
        RunWords.queued(store, "gone");
        Claimed gone = RunWords.claim(store);
        RunWords.queued(store, "changed");
        Claimed changed = RunWords.claim(store);
        RunWords.queued(store, "sound");
        Claimed sound = RunWords.claim(store);
        server.execute(
                "DELETE FROM " + harness.table("run") + " WHERE name = 'gone'",
                "UPDATE " + harness.table("run") + " SET state = 'ABORTED' WHERE name = 'changed'");
        Answers<BeatAnswer> answers = store.beat(List.of(
                RunWords.beating(gone, "copy"), RunWords.beating(changed, "copy"), RunWords.beating(sound, "copy")));
        assertThat(List.of(answers.get(0), answers.get(1)))
                .allSatisfy(answer -> assertThat(answer)
                        .isInstanceOfSatisfying(
                                BeatAnswer.Lost.class,
                                lost -> assertThat(lost.cause()).isEqualTo(LossCause.EXPIRED)));
        assertThat(answers.get(2)).isInstanceOf(BeatAnswer.Beating.class);
        harness.advance(Duration.ofMinutes(5));
        Bench.take(store, "gone");
    }

    private void ended(RunId run, String code) {
        Run now = store.findRun(run).orElseThrow();
        assertThat(now.state()).isEqualTo(RunState.FAILED);
        assertThat(now.status().error()).extracting(RunError::code).isEqualTo(code);
    }

    private RunState state(Run run) {
        return store.findRun(run.id()).orElseThrow().state();
    }
}
