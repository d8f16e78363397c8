package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.RunId;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditRecord;
import io.interlock.run.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec;
import io.interlock.run.Seal;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.Stores;
import io.interlock.spi.run.AuditLog.Sealed;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the contract cannot see of what PostgreSQL keeps beside runs: its cost, and records that come to light late. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BooksTest {

    private static final JobName JOB = new JobName("load");
    private static final RetryPlan TWICE = new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO);

    private final PostgresHarness harness = new PostgresHarness();

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void close() {
        harness.close();
    }

    private static RunId fresh() {
        return RunId.create(Environment.system().clock(), Environment.system().random());
    }

    private static List<Claimed> claim(PostgresStore store) {
        return store.claim(new ClaimRequest(UUID.randomUUID(), Bench.HOLDER, "acme", Set.of(JOB), 5));
    }

    private static RunId submit(PostgresStore store, String name) {
        RunId id = fresh();
        store.submit(List.of(
                SubmitRequest.of(id, Bench.key(name), RunSpec.of(JOB, "alice").retry(TWICE))));
        return id;
    }

    private static Claimed fails(PostgresStore store) {
        Claimed work = claim(store).get(0);
        store.finish(List.of(new FinishRequest(
                work.run().id(),
                work.run().key(),
                work.lease().id(),
                work.lease().token(),
                new Ending.Failed(new RunError("BROKEN", "it broke"), true, null))));
        return work;
    }

    private static RunId dies(PostgresStore store, String name) {
        RunId id = submit(store, name);
        fails(store);
        fails(store);
        return id;
    }

    private PostgresStore open() {
        return (PostgresStore) Stores.open(harness.url(""));
    }

    @Test
    void aRedriveIsOneRoundTripAndOneWritingTransaction() throws Exception {
        try (Proxy proxy = new Proxy(harness.server().port());
                PostgresStore store = (PostgresStore) Stores.open(
                        "postgresql://postgres@localhost:" + proxy.port() + "/postgres?schema=" + harness.schema())) {
            // The proxy counts on connections that have asked for a lease; the driver prepares a statement after a few
            // uses.
            Bench.take(store, "counted");
            for (int i = 0; i < 10; i++) {
                redrive(store, dies(store, "warm-" + i));
                claim(store);
            }
            RunId dead = dies(store, "k");
            long writes = harness.writes().orElseThrow();
            int trips = proxy.roundTrips();
            assertThat(redrive(store, dead)).isInstanceOf(RedriveAnswer.Redriven.class);
            assertThat(proxy.roundTrips() - trips).as("round trips").isEqualTo(1);
            assertThat(harness.writes().orElseThrow() - writes)
                    .as("writing transactions")
                    .isEqualTo(1);
        }
    }

    private static RedriveAnswer redrive(PostgresStore store, RunId dead) {
        return store.redrive(new RedriveRequest(dead, fresh(), "dora", "mended"));
    }

    @Test
    void aSmallerNumberThatCommitsLaterIsSealedLater() throws Exception {
        try (PostgresStore store = open();
                Connection slow = harness.server().connect()) {
            slow.setAutoCommit(false);
            slow.createStatement()
                    .execute("INSERT INTO " + harness.table("audit")
                            + " (at, tenant, name, actor, action, before, after, reason)"
                            + " VALUES (now(), 'acme', 'slow', 'a', 'paused', '', '', 'r')");
            submit(store, "fast");
            List<AuditRecord> fast = store.unsealed(10);
            assertThat(fast).extracting(record -> record.key().name()).containsOnly("fast");
            Seal head = sealed(store, fast);
            slow.commit();
            List<AuditRecord> late = store.unsealed(10);
            assertThat(late)
                    .singleElement()
                    .satisfies(record -> assertThat(record.sequence()).isLessThan(head.sequence()));
            sealed(store, late);
            assertThat(store.sealed(0, 10))
                    .extracting(Sealed::record)
                    .extracting(record -> record == null ? "" : record.key().name())
                    .containsExactly("fast", "fast", "slow");
        }
    }

    private static Seal sealed(PostgresStore store, List<AuditRecord> records) {
        Seal last = store.head();
        for (AuditRecord record : records) {
            Seal next = AuditChain.next(last, record);
            assertThat(store.seal(last, List.of(next))).isTrue();
            last = next;
        }
        return last;
    }

    @Test
    void aRecordIsSealedOnceWhateverTheHead() {
        try (PostgresStore store = open()) {
            submit(store, "k");
            List<AuditRecord> records = store.unsealed(10);
            Seal head = sealed(store, records);
            assertThat(store.seal(head, List.of(AuditChain.next(head, records.get(0)))))
                    .isFalse();
            assertThat(store.head()).isEqualTo(head);
            submit(store, "k2");
            Seal gap = AuditChain.next(
                    new Seal(7, 7, head.hash()), store.unsealed(1).get(0));
            assertThat(store.seal(head, List.of(gap))).as("a gap").isFalse();
        }
    }

    @Test
    void recordsTakenAwayBeforeTheyWereSealedHaveLinksAndStopNobody() {
        try (PostgresStore store = open()) {
            submit(store, "first");
            Seal first = sealed(store, store.unsealed(10));
            submit(store, "lost");
            List<Long> lost =
                    store.unsealed(10).stream().map(AuditRecord::sequence).toList();
            submit(store, "last");
            harness.server().execute("DELETE FROM " + harness.table("audit") + " WHERE name = 'lost'");
            List<AuditRecord> left = store.unsealed(lost.size());
            assertThat(left).isNotEmpty().allMatch(record -> record.key().name().equals("last"));
            Seal head = sealed(store, left);
            assertThat(store.unsealed(10)).isEmpty();
            List<Sealed> chain = store.sealed(first.position(), 10);
            assertThat(chain.subList(0, lost.size()))
                    .allMatch(link -> link.record() == null)
                    .extracting(link -> link.seal().sequence())
                    .containsExactlyElementsOf(lost);
            assertThat(chain.subList(lost.size(), chain.size()))
                    .extracting(Sealed::record)
                    .containsExactlyElementsOf(left);
            assertThat(chain)
                    .extracting(link -> link.seal().position() - first.position())
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, chain.size()).boxed().toList());
            assertThat(chain.get(chain.size() - 1).seal()).isEqualTo(head).isEqualTo(store.head());
        }
    }

    @Test
    void onlyWhoCanBeWokenLeavesAMarkAndThenWritesNothingWhileItWaits() {
        try (PostgresStore store = open()) {
            assertThat(claim(store)).isEmpty();
            assertThat(marks()).as("nobody listens").isEqualTo("0");
            try (ChangeFeed.Subscription open = store.watchWork("acme", () -> {})) {
                assertThat(open).isNotNull();
                assertThat(marks()).isEqualTo("1");
                long writes = harness.writes().orElseThrow();
                for (int i = 0; i < 3; i++) {
                    assertThat(claim(store)).isEmpty();
                }
                assertThat(harness.writes()).hasValue(writes);
                harness.advance(Duration.ofSeconds(100));
                assertThat(claim(store)).isEmpty();
                harness.advance(Duration.ofSeconds(100));
                assertThat(marks()).as("it was made to last in time").isEqualTo("1");
                harness.advance(Duration.ofSeconds(30));
                assertThat(marks()).as("nobody asks any more").isEqualTo("0");
            }
        }
    }

    private String marks() {
        return harness.server()
                .ask("SELECT count(*) FROM " + harness.table("work_wanted") + " WHERE until > clock_timestamp()");
    }

    @Test
    void whatPostgresCannotKeepIsMarkedForPeopleAndRefusedForPrograms() {
        try (PostgresStore store = open()) {
            submit(store, "text");
            Claimed work = claim(store).get(0);
            RunId run = work.run().id();
            assertThat(store.keepOutput(new OutputNote(
                            run,
                            work.run().key(),
                            work.lease().id(),
                            work.lease().token(),
                            "a\u0000b\uD800c")))
                    .isTrue();
            assertThat(store.output(run)).contains("a?b?c");
            assertThatThrownBy(() -> store.moveBookmark("x\u0000", 0, 1)).isInstanceOf(InvalidSettingException.class);
        }
    }

    @Test
    void aPrefixEndsWhereTheNextOneBegins() {
        assertThat(ViewSteps.behind("")).isNull();
        assertThat(ViewSteps.behind("b/")).isEqualTo("b0");
        assertThat(ViewSteps.behind("x\uD7FF")).isEqualTo("x\uE000");
        assertThat(ViewSteps.behind("x\uFFFF")).isEqualTo("x" + Character.toString(0x10000));
        assertThat(ViewSteps.behind("x" + Character.toString(0x10FFFF))).isEqualTo("y");
        assertThat(ViewSteps.behind(Character.toString(0x10FFFF))).isNull();
    }
}
