package io.interlock.store.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.RunSpec;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What a step waits for, and what its answer rests on. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(30)
class MariaDbLocksTest {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Holder HOLDER = new Holder("test/1", "the test");

    private MariaDbHarness harness;
    private RunStore store;

    @BeforeAll
    void start() {
        harness = MariaDbHarness.create();
    }

    @AfterAll
    void stop() {
        if (harness != null) {
            harness.close();
        }
    }

    @BeforeEach
    void open() {
        harness.reset();
        store = harness.open(Environment.system());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static AcquireRequest asking(String name) {
        return AcquireRequest.of(
                LockKey.of("acme", name), LeaseId.random(Environment.system().random()), HOLDER, TTL);
    }

    private LeaseRecord take(AcquireRequest request) {
        AcquireAnswer answer = store.tryAcquire(List.of(request)).only();
        assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class);
        return ((AcquireAnswer.Granted) answer).grants().get(0).lease();
    }

    private SubmitRequest submitting(String name) {
        return SubmitRequest.of(
                RunId.create(Environment.system().clock(), Environment.system().random()),
                LockKey.of("acme", name),
                RunSpec.of(new JobName("work"), "test").policy(ConflictPolicy.QUEUE));
    }

    /** A connection with the settings of the store's own, in a transaction that has the row of a key locked. */
    private Connection lock(String name) throws SQLException {
        StoreUrl url = StoreUrl.parse(harness.url(""));
        Connection connection = MariaDbUrl.dataSource(MariaDbUrl.of(url), MariaDbUrl.settings(MariaDbUrl.of(url), url))
                .getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT * FROM " + harness.table("lease") + " WHERE tenant = 'acme' AND name = '"
                    + name + "' FOR UPDATE");
        }
        return connection;
    }

    // The optimizer would scan a table of three rows, and wait for the one that is locked.
    @Test
    void noStepWaitsForTheRowOfAnotherKey() throws SQLException {
        take(asking("locked"));
        take(asking("other"));
        LeaseRecord mine = take(asking("mine"));
        long begin = Environment.system().ticker().nanos();
        try (Connection locked = lock("locked")) {
            assertThat(store.renew(List.of(new RenewRequest(mine.key(), mine.id(), mine.token(), TTL)))
                            .only())
                    .isInstanceOf(RenewAnswer.Renewed.class);
            assertThat(store.release(List.of(new ReleaseRequest(mine.key(), mine.id(), mine.token())))
                            .only())
                    .isInstanceOf(ReleaseAnswer.Released.class);
            take(asking("mine"));
            take(asking("new"));
            assertThat(store.runs().submit(List.of(submitting("run"))).only()).isInstanceOf(SubmitAnswer.Started.class);
            assertThat(store.upkeep().sweepRuns(10)).isEmpty();
            assertThat(store.tryAcquire(List.of(asking("batch"), asking("locked")))
                            .isOpen(1))
                    .as("left open in a batch")
                    .isTrue();
            assertThat(locked.isClosed()).isFalse();
            locked.rollback();
        }
        assertThat(Duration.ofNanos(Environment.system().ticker().nanos() - begin))
                .isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void aProcessThatIsFrozenInTheMiddleOfAStepLosesItsRows() throws SQLException {
        LeaseRecord mine = take(asking("frozen"));
        store.release(List.of(new ReleaseRequest(mine.key(), mine.id(), mine.token())));
        try (Connection frozen = lock("frozen")) {
            take(asking("frozen"));
            assertThat(frozen.isValid(1)).isFalse();
        }
    }

    // What it rests on may have been committed a moment ago by a step that is not on disk yet.
    @Test
    void anAnswerThatSaysDoneBeforeWritesAndARefusalDoesNot() {
        AcquireRequest request = asking("again");
        take(request);
        SubmitRequest run = submitting("submitted");
        store.runs().submit(List.of(run));
        long before = harness.flushes();
        assertThat(store.tryAcquire(List.of(asking("again"))).only()).isInstanceOf(AcquireAnswer.Refused.class);
        assertThat(harness.flushes()).isEqualTo(before);
        take(request);
        assertThat(harness.flushes()).isEqualTo(before + 1);
        assertThat(store.runs().submit(List.of(run)).only()).isNotInstanceOf(SubmitAnswer.Refused.class);
        assertThat(harness.flushes()).isEqualTo(before + 2);
    }
}
