package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tables that were changed by hand. */
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
    void theDatabaseItselfHasOnePlaceForARunUnderWay() {
        RunWords.queued(store, "k");
        RunWords.queued(store, "k");
        assertThatThrownBy(() -> server.execute(
                        "UPDATE " + harness.table("open_run") + " SET busy = 1, rank = 0, seq = 0 WHERE busy = 0"))
                .hasMessageContaining("interlock_open_run_pkey");
        assertThatThrownBy(() -> server.execute("UPDATE " + harness.table("open_run") + " SET busy = 1 WHERE busy = 0"))
                .hasMessageContaining("interlock_open_run_check");
    }

    @Test
    void aRunWhoseLeaseIsGoneFailsAndTheNextHasTheKey() {
        RunWords.queued(store, "k");
        Run next = RunWords.queued(store, "k");
        Claimed work = RunWords.claim(store);
        server.execute("DELETE FROM " + harness.table("lease"));
        store.upkeep().sweepRuns(10);
        ended(work.run().id(), RunError.LOCK_STATE_LOST);
        assertThat(store.queries().findRun(next.id()).orElseThrow().state()).isEqualTo(RunState.PENDING);
    }

    @Test
    void theNextRequestFindsThatTheLeaseIsGone() {
        RunWords.queued(store, "k");
        Claimed work = RunWords.claim(store);
        server.execute("DELETE FROM " + harness.table("lease"));
        RunWords.submitted(store, RunWords.submitting("k", ConflictPolicy.REJECT));
        ended(work.run().id(), RunError.LOCK_STATE_LOST);
    }

    @Test
    void aReservationThatIsGoneIsMadeAnew() {
        Run run = RunWords.queued(store, "k");
        RunWords.queued(store, "k");
        server.execute("DELETE FROM " + harness.table("lease"));
        store.upkeep().sweepRuns(10);
        assertThat(RunWords.claim(store).run().id()).isEqualTo(run.id());
    }

    private void ended(RunId id, String code) {
        Run run = store.queries().findRun(id).orElseThrow();
        assertThat(run.state()).isEqualTo(RunState.FAILED);
        assertThat(run.status().error()).extracting(RunError::code).isEqualTo(code);
    }
}
