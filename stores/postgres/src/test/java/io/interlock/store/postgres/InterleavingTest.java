package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.Transition;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens between two statements of one step, while it has nothing locked. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class InterleavingTest {

    private static final Transition CREATE =
            new Transition("cluster", Set.of("PLANNED"), "CREATING", "READY", "BROKEN");

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();

    @AfterEach
    void close() {
        harness.close();
    }

    @Test
    void aPauseThatEndsWhileItIsToldStillIsAnAnswer() throws Exception {
        try (SlowReader slow = new SlowReader(harness, "pause", 2);
                RunStore store = harness.open(Environment.system())) {
            store.pause(new PauseRequest("acme", "k*", "carol", "upgrade", null));
            AcquireAnswer answer = slow.whileItReads(
                    () -> Bench.ask(slow.store(), Bench.asking("k")),
                    () -> store.resume(new ResumeRequest("acme", "k*", "carol", "done")));
            assertThat(answer)
                    .isInstanceOfSatisfying(
                            AcquireAnswer.Refused.class,
                            refused -> assertThat(refused.refusal()).isInstanceOf(RunRefusal.Paused.class));
            assertThat(Bench.ask(slow.store(), Bench.asking("k"))).isInstanceOf(AcquireAnswer.Granted.class);
        }
    }

    @Test
    void whoJoinsARunThatIsJustStartingIsNotRefusedForItsDoing() throws Exception {
        try (SlowReader slow = new SlowReader(harness, "resource", 1);
                RunStore store = harness.open(Environment.system())) {
            store.setResource(new ResourceRequest(Bench.key("k"), "cluster", "PLANNED", 0, "carol", "new"));
            Run run = RunWords.submitted(store, creating(ConflictPolicy.REJECT));
            SubmitAnswer answer = slow.whileItReads(
                    () -> RunWords.submit(slow.store(), creating(ConflictPolicy.JOIN)), () -> RunWords.claim(store));
            assertThat(store.resource(Bench.key("k")).map(Resource::state)).contains("CREATING");
            assertThat(answer)
                    .isInstanceOfSatisfying(
                            SubmitAnswer.Joined.class,
                            joined -> assertThat(joined.run().id()).isEqualTo(run.id()));
            assertThat(store.findRun(run.id()).orElseThrow().state()).isEqualTo(RunState.RUNNING);
        }
    }

    private static SubmitRequest creating(ConflictPolicy policy) {
        return SubmitRequest.of(
                RunWords.freshRun(),
                Bench.key("k"),
                RunWords.spec().policy(policy).guard(CREATE));
    }

    /** A bundle finds a row gone that it has seen, and somebody making it anew who then wants one it has locked. */
    @Test
    void whoMakesARowIsNotWaitedForByWhoHasAnother() throws Exception {
        try (RunStore store = harness.open(Environment.system());
                Connection maker = server.connect()) {
            Bench.release(store, Bench.take(store, "a"));
            Bench.release(store, Bench.take(store, "b"));
            String deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'";
            String before = server.ask(deadlocks);
            CompletableFuture<AcquireAnswer> bundle = new CompletableFuture<>();
            RowWait.during(
                    server,
                    "SELECT pg_advisory_xact_lock(" + harness.table("latch") + "())",
                    () -> bundle.complete(Bench.ask(store, Bench.asking("a", "b"))),
                    holder -> {
                        server.execute("DELETE FROM " + harness.table("lease") + " WHERE name = 'b'");
                        maker.setAutoCommit(false);
                        RowWait.execute(
                                maker,
                                "INSERT INTO " + harness.table("lease")
                                        + " (tenant, name, freed_at) VALUES ('acme', 'b', now())");
                        holder.commit();
                        RowWait.awaitBlockedBy(
                                server, Integer.parseInt(RowWait.value(maker, "SELECT pg_backend_pid()")));
                        RowWait.execute(
                                maker, "SELECT FROM " + harness.table("lease") + " WHERE name = 'a' FOR UPDATE");
                        maker.commit();
                    });
            assertThat(bundle.get(10, TimeUnit.SECONDS)).isInstanceOf(AcquireAnswer.Granted.class);
            server.ask("SELECT pg_stat_force_next_flush()");
            assertThat(server.ask(deadlocks)).isEqualTo(before);
        }
    }
}
