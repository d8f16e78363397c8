package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.RunRefusal;
import io.interlock.run.BeatAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.Pause;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Every grant is before a pause or after it, never across. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class PauseOrderTest {

    private static final PauseRequest PAUSE = new PauseRequest("acme", "k*", "carol", "upgrade", null);
    private static final ResumeRequest RESUME = new ResumeRequest("acme", "k*", "carol", "done");

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final RunStore store = harness.open(Environment.system());

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void close() {
        store.close();
        harness.close();
    }

    @Test
    void aPauseWaitsForTheGrantUnderWay() throws Exception {
        RunWords.queued(store, "k");
        String claiming = "SELECT verdict FROM " + harness.table("claim")
                + "(1000, gen_random_uuid(), 'host', 'label', 'acme', ARRAY['load'], 1)";
        RowWait<Pause> paused = RowWait.during(server, claiming, () -> store.pause(PAUSE));
        assertThat(paused.answer().since()).isAfterOrEqualTo(paused.letGo());
        assertThat(server.ask("SELECT state FROM " + harness.table("run"))).isEqualTo("RUNNING");
        refused();
    }

    @Test
    void aGrantWaitsForThePauseUnderWay() throws Exception {
        String pausing =
                "SELECT tenant FROM " + harness.table("pause") + "(1000, 'acme', 'k*', 'carol', 'upgrade', NULL)";
        RowWait<SubmitAnswer> refused = RowWait.during(
                server, pausing, () -> RunWords.submit(store, RunWords.submitting("k2", ConflictPolicy.REJECT)));
        assertThat(refused.answer()).isInstanceOf(SubmitAnswer.Refused.class);
        refused();
    }

    /** Whoever has queued because of the pause is there when the pause is ended, and is let go on. */
    @Test
    void aResumeWaitsForWhoeverIsQueueingBehindThePause() throws Exception {
        store.pause(PAUSE);
        SubmitRequest request = RunWords.submitting("k", ConflictPolicy.QUEUE);
        String queueing =
                "SELECT verdict FROM " + harness.table("submit") + "(1000, ARRAY['acme'], ARRAY['k'], ARRAY[1], '"
                        + RunJson.of(List.of(request)) + "', ARRAY[NULL], ARRAY[NULL], ARRAY[NULL::bigint],"
                        + " ARRAY[NULL::uuid], ARRAY[NULL], ARRAY[NULL])";
        assertThat(RowWait.during(server, queueing, () -> store.resume(RESUME)).answer())
                .isTrue();
        assertThat(RunWords.claim(store).run().id()).isEqualTo(request.id());
    }

    @Test
    void whoeverComesWhileAPauseIsEndedWaitsAndIsNotQueuedBehindIt() throws Exception {
        store.pause(PAUSE);
        String resuming = "SELECT verdict FROM " + harness.table("resume") + "(1000, 'acme', 'k*', 'carol', 'done')";
        RowWait<SubmitAnswer> started = RowWait.during(
                server, resuming, () -> RunWords.submit(store, RunWords.submitting("k", ConflictPolicy.QUEUE)));
        assertThat(started.answer()).isInstanceOf(SubmitAnswer.Started.class);
    }

    @Test
    void beatsAndRenewalsDoNotWait() throws Exception {
        RunWords.queued(store, "k");
        Claimed work = RunWords.claim(store);
        try (Connection pausing = server.connect()) {
            pausing.setAutoCommit(false);
            RowWait.value(pausing, "SELECT pg_advisory_xact_lock(" + harness.table("latch") + "())");
            assertThat(store.beat(List.of(RunWords.beating(work, "copy"))).only())
                    .isInstanceOf(BeatAnswer.Beating.class);
            Bench.renew(store, work.lease());
            assertThat(store.findRun(work.run().id())).isPresent();
        }
    }

    /** It keeps everybody's grants waiting, of whichever tenant: so it lets a few go on itself, and the others are due. */
    @Test
    void theEndOfAPauseOverManyKeysIsShort() {
        store.pause(PAUSE);
        store.submit(IntStream.range(0, 250)
                .mapToObj(i -> RunWords.submitting("k" + i, ConflictPolicy.QUEUE))
                .toList());
        store.resume(RESUME);
        assertThat(server.ask("SELECT count(*) FROM " + harness.table("run") + " WHERE state = 'PENDING'"))
                .isEqualTo("100");
        assertThat(IntStream.range(0, 5).mapToObj(i -> store.claim(RunWords.claiming(100))))
                .flatMap(claimed -> claimed)
                .hasSize(250);
    }

    private void refused() {
        SubmitAnswer answer = RunWords.submit(store, RunWords.submitting("k3", ConflictPolicy.REJECT));
        assertThat(((SubmitAnswer.Refused) answer).refusal()).isInstanceOf(RunRefusal.Paused.class);
    }
}
