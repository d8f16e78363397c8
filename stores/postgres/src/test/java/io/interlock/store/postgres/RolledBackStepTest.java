package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.run.AuditRecord;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The server rolls a step back at its commit, with SQLSTATE 40001: it is made again, and the answer is about that attempt. */
class RolledBackStepTest {

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final RunStore store = harness.open(Environment.system());
    private final String commits = harness.schema() + ".commits";

    @AfterEach
    void close() {
        // A sequence counts what is rolled back, too.
        assertThat(server.ask("SELECT last_value > 1 FROM " + commits))
                .as("made again")
                .isEqualTo("t");
        store.close();
        harness.close();
    }

    /** From now on the first commit of a change of {@code table} fails. */
    private void failOnce(String table, String when) {
        server.execute(
                "CREATE SEQUENCE " + commits,
                "CREATE FUNCTION " + harness.schema() + ".fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " IF nextval('" + commits + "') = 1 THEN RAISE serialization_failure; END IF;"
                        + " RETURN NULL; END $$",
                "CREATE " + when.replace("TABLE", harness.table(table)) + " EXECUTE FUNCTION " + harness.schema()
                        + ".fail()");
    }

    private void failCommitOnce(String table) {
        failOnce(
                table,
                "CONSTRAINT TRIGGER fail AFTER INSERT OR UPDATE OR DELETE ON TABLE DEFERRABLE INITIALLY DEFERRED"
                        + " FOR EACH ROW");
    }

    private List<String> log(String name) {
        return store.audit().records(LockKey.of("acme", name)).stream()
                .map(AuditRecord::action)
                .toList();
    }

    @Test
    void aPauseIsEndedOnce() {
        store.runs().pause(new PauseRequest("acme", "k", "carol", "upgrade", null));
        failCommitOnce("pause");
        assertThat(store.runs().resume(new ResumeRequest("acme", "k", "carol", "done")))
                .isTrue();
        assertThat(log("k")).containsExactly("paused", "resumed");
    }

    @Test
    void aPauseThatIsNotThereIsNotEnded() {
        failOnce("pause", "TRIGGER fail BEFORE UPDATE ON TABLE");
        assertThat(store.runs().resume(new ResumeRequest("acme", "k", "carol", "done")))
                .isFalse();
        assertThat(log("k")).isEmpty();
    }

    @Test
    void aLeaseIsEvictedOnce() {
        FencingToken token = Bench.take(store, "k").token();
        failCommitOnce("audit");
        assertThat(store.evict(new EvictRequest(Bench.key("k"), token, "carol", "stuck")))
                .isInstanceOf(EvictAnswer.Evicted.class);
        assertThat(log("k")).containsExactly("evicted");
    }

    @Test
    void aLeaseThatIsNotThereIsNotEvicted() {
        RunWords.queued(store, "k");
        RunWords.claim(store);
        // The step has something to write: the lease of the run has ended.
        harness.advance(Duration.ofMinutes(1));
        failCommitOnce("run");
        assertThat(store.evict(new EvictRequest(Bench.key("k"), new FencingToken(7), "carol", "stuck")))
                .isInstanceOf(EvictAnswer.Mismatch.class);
        assertThat(log("k")).doesNotContain("evicted");
    }
}
