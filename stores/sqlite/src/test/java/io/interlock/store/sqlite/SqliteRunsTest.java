package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunQuery;
import io.interlock.run.RunSpec;
import io.interlock.run.SweepAction;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs in a file, beyond what every store does. */
class SqliteRunsTest {

    private static final LockKey KEY = LockKey.of("acme", "key");
    private static final LockKey OTHER = LockKey.of("acme", "other");
    private static final RunSpec SPEC = RunSpec.of(new JobName("load"), "alice");

    @TempDir
    Path folder;

    private final FakeHostClock host = FakeHostClock.booted("boot-1");
    private SqliteSettings settings;
    private TestDatabase database;
    private SqlStore store;
    private int made;

    @BeforeEach
    void open() {
        settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + folder.resolve("runs.db") + "?timeout=200ms"));
        store = reopened();
        database = new TestDatabase(folder.resolve("runs.db"));
    }

    @AfterEach
    void close() {
        database.close();
        store.close();
    }

    @Test
    void theEndOfAPauseOverManyKeysKeepsOtherWritersOutForAShortTimeOnly() {
        store.runs().pause(new PauseRequest("acme", "*", "carol", "upgrade", null));
        queueMany(250);
        store.runs().resume(new ResumeRequest("acme", "*", "carol", "done"));
        RunQuery pending = RunQuery.ofTenant("acme").in(RunState.PENDING);
        assertThat(store.queries().listRuns(pending).runs()).hasSize(100);
        store.upkeep().sweepRuns(250);
        assertThat(store.queries().listRuns(pending).runs()).hasSize(250);
    }

    @Test
    void aClaimAmongManyKeysWithNothingToSettleKeepsOtherWritersOutForAShortTimeOnly() {
        store.runs().pause(new PauseRequest("acme", "*", "carol", "upgrade", null));
        store.runs().pause(new PauseRequest("acme", "many/*", "carol", "audit", null));
        queueMany(1150);
        store.runs().resume(new ResumeRequest("acme", "*", "carol", "done"));
        assertThat(claim()).isEmpty();
        assertThat(database.number("SELECT count(*) FROM interlock_pause WHERE resumed = 1 AND settled_to <> ''"))
                .as("pauses that have ended, and are settled by later calls")
                .isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            store.upkeep().sweepRuns(100);
        }
        assertThat(database.number("SELECT count(*) FROM interlock_pause WHERE resumed = 1"))
                .isZero();
    }

    private void queueMany(int keys) {
        store.runs()
                .submit(IntStream.range(0, keys)
                        .mapToObj(i -> SubmitRequest.of(
                                new RunId(UUID.randomUUID()),
                                LockKey.of("acme", "many/" + i),
                                SPEC.policy(ConflictPolicy.QUEUE)))
                        .toList());
    }

    @Test
    void whatNeedsNoWritingWaitsForNoWriter() {
        Run run = started(submit(SPEC));
        assertThat(claim()).hasSize(1);
        database.execute("BEGIN IMMEDIATE");
        assertThat(submit(SPEC)).isInstanceOf(SubmitAnswer.Refused.class);
        assertThat(submit(SPEC.policy(ConflictPolicy.JOIN))).isInstanceOf(SubmitAnswer.Joined.class);
        assertThat(store.runs()
                        .submit(List.of(SubmitRequest.of(run.id(), KEY, SPEC)))
                        .only())
                .isInstanceOf(SubmitAnswer.Duplicate.class);
        assertThat(claim()).isEmpty();
        assertThat(store.upkeep().sweepRuns(10)).isEmpty();
        assertThat(store.sweep(10)).isEmpty();
        assertThatThrownBy(() -> submit(SPEC.policy(ConflictPolicy.QUEUE)))
                .isInstanceOf(StoreUnavailableException.class);
        database.execute("ROLLBACK");
    }

    @Test
    void theTableItselfAllowsNoSecondRunUnderAKey() {
        submit(SPEC);
        Run second = ((SubmitAnswer.Queued) submit(SPEC.policy(ConflictPolicy.QUEUE))).run();
        assertThatThrownBy(() -> database.execute(
                        "UPDATE interlock_open_run SET busy = 1, rank = 0, seq = 0 WHERE number = " + second.number()))
                .rootCause()
                .hasMessageContaining("SQLITE_CONSTRAINT_PRIMARYKEY");
    }

    @Test
    void afterARestartOfTheMachineRunsAreLostAndTriedAgain() {
        started(submit(SPEC.retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))));
        Claimed before = claim().get(0);
        store.close();
        host.reboot("boot-2");
        store = reopened();
        Claimed after = claim().get(0);
        assertThat(after.run().id()).isEqualTo(before.run().id());
        assertThat(after.run().status().attempts()).isEqualTo(2);
        assertThat(after.lease().token()).isGreaterThan(before.lease().token());
    }

    @Test
    void aRunThatCannotBeReadIsNoAnswer() {
        Run run = started(submit(SPEC));
        database.execute("UPDATE interlock_open_run SET status = 'attempts=1' || char(10) || 'mood=good'");
        assertThatThrownBy(() -> store.queries().findRun(run.id()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("run " + run.id() + " cannot be read");
        assertThatThrownBy(() -> submit(SPEC)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aDueRunThatCannotBeReadKeepsNoOtherFromItsTurn() {
        started(submit(SPEC));
        submit(SubmitRequest.of(fresh(), LockKey.of("acme", "other"), SPEC));
        List<Claimed> lost = new ArrayList<>(claim());
        lost.addAll(claim());
        database.execute(
                "UPDATE interlock_open_run SET status = 'attempts=1' || char(10) || 'mood=good' WHERE name = 'key'");
        host.pass(Duration.ofHours(1));
        assertThat(store.upkeep().sweepRuns(100))
                .extracting(SweepAction::key)
                .containsExactly(LockKey.of("acme", "other"));
        submit(SubmitRequest.of(fresh(), LockKey.of("acme", "third"), SPEC));
        assertThat(claim()).extracting(claimed -> claimed.run().key()).containsExactly(LockKey.of("acme", "third"));
    }

    @Test
    void aRunThatCannotBeReadKeepsNoOtherFromWorkers() {
        started(submit(SPEC));
        submit(SubmitRequest.of(fresh(), OTHER, SPEC));
        spoil();
        assertThat(claim()).extracting(claimed -> claimed.run().key()).containsExactly(OTHER);
        assertThat(claim()).isEmpty();
    }

    @Test
    void aLeaseWhoseRunCannotBeReadKeepsNoOtherFromItsEnd() {
        started(submit(SPEC));
        submit(SubmitRequest.of(fresh(), OTHER, SPEC));
        claim();
        claim();
        spoil();
        host.pass(Duration.ofHours(1));
        assertThat(store.sweep(100)).extracting(LeaseRecord::key).containsExactly(OTHER);
    }

    @Test
    void aPauseOverARunThatCannotBeReadBeginsAndEndsForAllOthers() {
        Run unreadable = started(submit(SPEC));
        Run run = started(submit(SubmitRequest.of(fresh(), OTHER, SPEC)));
        String status = database.text("SELECT status FROM interlock_open_run WHERE name = 'key'");
        spoil();
        store.runs().pause(new PauseRequest("acme", "*", "carol", "upgrade", null));
        assertThat(claim()).isEmpty();
        store.runs().resume(new ResumeRequest("acme", "*", "carol", "done"));
        store.upkeep().sweepRuns(100);
        assertThat(claim()).extracting(claimed -> claimed.run().id()).containsExactly(run.id());
        database.execute("UPDATE interlock_open_run SET status = '" + status + "' WHERE name = 'key'");
        store.close();
        store = reopened();
        assertThat(claim()).extracting(claimed -> claimed.run().id()).containsExactly(unreadable.id());
    }

    /** Makes the run of one key unreadable, as one that a later version has written may be. */
    private void spoil() {
        database.execute(
                "UPDATE interlock_open_run SET status = 'attempts=1' || char(10) || 'mood=good' WHERE name = 'key'");
    }

    @Test
    void whoWaitsForItsTenantHasItsTurnWhenThereIsRoom() {
        LineLimits one = new LineLimits(10, 1);
        submit(request(SPEC).within(one));
        for (int i = 0; i < 3; i++) {
            LockKey other = LockKey.of("acme", "other-" + i);
            submit(SubmitRequest.of(fresh(), other, SPEC.policy(ConflictPolicy.QUEUE))
                    .within(one));
        }
        for (int i = 0; i < 4; i++) {
            List<Claimed> work = claim();
            assertThat(work).as("one at a time, in their order").hasSize(1);
            String name = i == 0 ? "key" : "other-" + (i - 1);
            assertThat(work.get(0).run().key().name()).isEqualTo(name);
            assertThat(claim()).isEmpty();
            Caller caller = new Caller(store);
            caller.release(work.get(0).lease());
            assertThat(store.queries().findRun(work.get(0).run().id()).map(Run::state))
                    .isEqualTo(Optional.of(RunState.FAILED));
        }
    }

    private SqlStore reopened() {
        return SqliteStoreFactory.open(settings, Environment.system(), host);
    }

    private SubmitAnswer submit(RunSpec spec) {
        return submit(request(spec));
    }

    private SubmitAnswer submit(SubmitRequest request) {
        return store.runs().submit(List.of(request)).only();
    }

    private SubmitRequest request(RunSpec spec) {
        return SubmitRequest.of(fresh(), KEY, spec);
    }

    private static RunId fresh() {
        return RunId.create(Environment.system().clock(), Environment.system().random());
    }

    private static Run started(SubmitAnswer answer) {
        assertThat(answer).isInstanceOf(SubmitAnswer.Started.class);
        return ((SubmitAnswer.Started) answer).run();
    }

    private List<Claimed> claim() {
        return store.work().claim(claiming(++made));
    }

    private static ClaimRequest claiming(long id) {
        return new ClaimRequest(new UUID(0, id), new Holder("host/1", "test"), "acme", Set.of(new JobName("load")), 5);
    }
}
