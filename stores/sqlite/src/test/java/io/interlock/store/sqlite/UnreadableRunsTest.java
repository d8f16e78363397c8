package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.SweepAction;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.store.sql.SqlConnection;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many runs that cannot be read, as those that a later version has written may be: all others have their turn, and soon. */
class UnreadableRunsTest {

    private static final RunSpec SPEC = RunSpec.of(new JobName("load"), "alice").policy(ConflictPolicy.QUEUE);

    @TempDir
    Path folder;

    private final FakeHostClock host = FakeHostClock.booted("boot-1");
    private final AtomicInteger opened = new AtomicInteger();
    private SqlStore store;
    private TestDatabase database;
    private int claims;

    @BeforeEach
    void open() {
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + folder.resolve("runs.db")));
        Environment environment = Environment.system();
        SqliteStoreFactory.open(settings, environment, host).close();
        StoreClock clock = new StoreClock("test", host, environment.clock());
        SqliteDialect dialect = new SqliteDialect(settings.names(), clock);
        FileConnector counting = new FileConnector(settings, dialect, environment.ticker()) {
            @Override
            SqlConnection open() throws SQLException {
                opened.incrementAndGet();
                return super.open();
            }
        };
        store = SqliteStoreFactory.open(counting, dialect, clock, environment, Duration.ofMinutes(5));
        database = new TestDatabase(folder.resolve("runs.db"));
    }

    @AfterEach
    void close() {
        database.close();
        store.close();
    }

    /** After an error of SQLite its connection is opened anew. */
    @Test
    void oneThatWaitsForAWorkerFailsTheFirstClaimOnly() {
        submit("bad", SPEC);
        submitMany("good/", 8);
        spoil("bad");
        assertThat(claim(1)).hasSize(1);
        int before = opened.get();
        for (int i = 0; i < 5; i++) {
            assertThat(claim(1)).hasSize(1);
        }
        assertThat(opened).hasValue(before);
    }

    @Test
    void oneThatWaitsForItsKeyFailsTheFirstSweepOnly() {
        submitMany("good/", 8);
        submit("bad", SPEC);
        submit("bad", SPEC.limits(new RunLimits(Duration.ofSeconds(1), null, Duration.ZERO)));
        database.execute("UPDATE interlock_open_run SET status = 'mood=good' WHERE name = 'bad' AND busy = 0");
        host.pass(Duration.ofSeconds(2));
        store.upkeep().sweepRuns(10);
        assertThat(claim(1)).hasSize(1);
        int before = opened.get();
        for (int i = 0; i < 5; i++) {
            store.upkeep().sweepRuns(10);
            assertThat(claim(1)).hasSize(1);
        }
        assertThat(opened).hasValue(before);
    }

    @Test
    void aClaimFindsTheOneBehindThem() {
        submitMany("bad/", 20);
        submit("good", SPEC);
        spoil("bad/*");
        assertThat(claim(1)).extracting(claimed -> claimed.run().key().name()).containsExactly("good");
    }

    @Test
    void aSweepSettlesTheOneBehindThem() {
        submitMany("bad/", 120);
        assertThat(claim(60)).hasSize(60);
        assertThat(claim(60)).hasSize(60);
        host.pass(Duration.ofSeconds(1));
        submit("good", SPEC);
        assertThat(claim(1)).hasSize(1);
        spoil("bad/*");
        host.pass(Duration.ofHours(1));
        assertThat(store.upkeep().sweepRuns(100))
                .extracting(SweepAction::key)
                .extracting(LockKey::name)
                .containsOnly("good");
    }

    @Test
    void aPlaceUnderTheLimitOfATenantGoesToTheOneBehindThem() {
        finishBefore(2);
        store.upkeep().sweepRuns(10);
        assertThat(claim(1)).extracting(claimed -> claimed.run().key().name()).containsExactly("good");
    }

    @Test
    void aPlaceGoesPastMoreOfThemThanAFinishTries() {
        finishBefore(12);
        assertThat(claim(1)).extracting(claimed -> claimed.run().key().name()).containsExactly("good");
    }

    @Test
    void aPlaceGoesPastMoreOfThemThanASweepTries() {
        finishBefore(120);
        store.upkeep().sweepRuns(100);
        assertThat(claim(1)).extracting(claimed -> claimed.run().key().name()).containsExactly("good");
    }

    @Test
    void aSweepClearsTheLeaseBehindThem() {
        submitMany("bad/", 3);
        assertThat(claim(3)).hasSize(3);
        LockKey good = LockKey.of("acme", "good");
        new Caller(store).take(good);
        spoil("bad/*");
        host.pass(Duration.ofHours(1));
        assertThat(store.sweep(3)).isEmpty();
        assertThat(store.sweep(3)).extracting(LeaseRecord::key).containsExactly(good);
    }

    /** The only place of a tenant becomes free, and so many runs that cannot be read wait for it before a good one. */
    private void finishBefore(int bad) {
        LineLimits one = new LineLimits(10, 1);
        submit(request("runs", SPEC).within(one));
        IntStream.range(0, bad).forEach(i -> submit(request("bad/" + i, SPEC).within(one)));
        submit(request("good", SPEC).within(one));
        Claimed work = claim(1).get(0);
        spoil("bad/*");
        LeaseRecord lease = work.lease();
        store.work()
                .finish(List.of(new FinishRequest(
                        work.run().id(), lease.key(), lease.id(), lease.token(), new Ending.Succeeded("{}"))));
    }

    private void submitMany(String prefix, int count) {
        IntStream.range(0, count).forEach(i -> submit(prefix + i, SPEC));
    }

    private void submit(String name, RunSpec spec) {
        submit(request(name, spec));
    }

    private void submit(SubmitRequest request) {
        store.runs().submit(List.of(request));
    }

    private static SubmitRequest request(String name, RunSpec spec) {
        RunId id =
                RunId.create(Environment.system().clock(), Environment.system().random());
        return SubmitRequest.of(id, LockKey.of("acme", name), spec);
    }

    private void spoil(String names) {
        database.execute("UPDATE interlock_open_run SET status = 'mood=good' WHERE name GLOB '" + names + "'");
    }

    private List<Claimed> claim(int most) {
        Holder worker = new Holder("host/1", "test");
        return store.work()
                .claim(new ClaimRequest(new UUID(0, ++claims), worker, "acme", Set.of(new JobName("load")), most));
    }
}
