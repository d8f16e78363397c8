package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.Watchers;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.TableNames;
import io.interlock.tck.process.Proxy;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.ForwardingEnvironment;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;

/** Which callers are woken, when, and what it costs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WakeUpTest {

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final RunStore store = harness.open(Environment.system());
    private final String channel = KeyHash.channel(new TableNames(harness.schema(), TableNames.DEFAULT_PREFIX));

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
    void aReleaseIsAnnouncedOnlyWhenACallerWaits() throws Exception {
        try (LeaseStore other = harness.open(Environment.system());
                Connection listening = server.connect()) {
            for (int i = 0; i < 3; i++) {
                Bench.release(store, Bench.take(store, "lonely"));
            }
            LeaseRecord lease = Bench.take(store, "wanted");
            assertThat(Bench.ask(other, Bench.asking("wanted").waiting())).isInstanceOf(AcquireAnswer.Refused.class);
            String waiters = server.ask("SELECT waiters FROM " + harness.table("lease") + " WHERE name LIKE '%wanted'");
            RowWait.execute(listening, "LISTEN " + channel);
            RowWait.execute(listening, "LISTEN " + channel + "_" + waiters.substring(1));
            Bench.release(store, lease);
            assertThat(heardUpTo(listening, "wanted")).hasSize(1);
        }
    }

    /** The next in the queue is woken alone, and all others when it has not taken the key. */
    @Test
    void aReleaseWakesTheClientThatHasWaitedLongest() {
        AtomicLong nanos = new AtomicLong();
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        try (LeaseStore holder = harness.open(at(nanos));
                LeaseStore one = harness.open(Environment.system());
                LeaseStore two = harness.open(Environment.system());
                var watching = one.changes().watch(Bench.key("k"), first::incrementAndGet);
                var alsoWatching = two.changes().watch(Bench.key("k"), second::incrementAndGet)) {
            await().until(() -> first.get() == 1 && second.get() == 1);
            LeaseRecord lease = Bench.take(holder, "k");
            Bench.ask(one, Bench.asking("k").waiting());
            Bench.ask(two, Bench.asking("k").waiting());
            Bench.release(holder, lease);
            await().until(() -> first.get() == 2);
            LeaseRecord next = Bench.take(one, "k");
            nanos.addAndGet(Announcer.SECOND_LOOK.toNanos());
            Bench.release(one, next);
            await().until(() -> second.get() == 2);
            assertThat(first).hasValue(2);

            LeaseRecord last = Bench.take(holder, "k");
            Bench.ask(one, Bench.asking("k").waiting());
            Bench.ask(two, Bench.asking("k").waiting());
            Bench.release(holder, last);
            await().until(() -> first.get() == 3);
            assertThat(second).hasValue(2);
            nanos.addAndGet(Announcer.SECOND_LOOK.toNanos());
            await().until(() -> second.get() == 3);
        }
    }

    /** A step may have to mark a key because its callers wait for more than one client's turn; that lasts for one release. */
    @Test
    void aReleaseWakesAllClientsOnceForAMark() throws Exception {
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        try (LeaseStore one = harness.open(Environment.system());
                LeaseStore two = harness.open(Environment.system());
                var watching = one.changes().watch(Bench.key("k"), first::incrementAndGet);
                var alsoWatching = two.changes().watch(Bench.key("k"), second::incrementAndGet)) {
            await().until(() -> first.get() == 1 && second.get() == 1);
            LeaseRecord lease = Bench.take(store, "k");
            server.execute("UPDATE " + harness.table("lease") + " SET waiters_until = 60000000 + " + harness.now());
            Bench.release(store, lease);
            await().until(() -> first.get() == 2 && second.get() == 2);

            LeaseRecord next = Bench.take(store, "k");
            Bench.ask(one, Bench.asking("k").waiting());
            Bench.release(store, next);
            await().until(() -> first.get() == 3);
            assertThat(second).hasValue(2);
        }
    }

    @Test
    void aWaiterWhoseKeyIsTakenMeanwhileIsQueuedAndMarksNothing() throws Exception {
        Bench.release(store, Bench.take(store, "k"));
        String lease = " FROM " + harness.table("lease") + " WHERE name LIKE '%k'";
        RowWait<AcquireAnswer> wait = RowWait.during(
                server,
                "SELECT 1" + lease + " FOR UPDATE",
                () -> Bench.ask(store, Bench.asking("k").waiting()),
                holder -> RowWait.execute(
                        holder,
                        "UPDATE " + harness.table("lease")
                                + " SET lease_id = '00000000-0000-0000-0000-000000000001', instance = 'other', label = 'other',"
                                + " lock_delay = 0, granted_at = " + harness.now() + ", expires_at = 60000000 + "
                                + harness.now() + " WHERE name LIKE '%k'"));
        assertThat(wait.answer()).isInstanceOf(AcquireAnswer.Refused.class);
        assertThat(server.ask("SELECT waiters_until" + lease)).isEqualTo("0");
        assertThat(server.ask("SELECT waiters" + lease)).matches(",\\w{8}");
    }

    @Test
    void aWaiterThatAsksAgainIsQueuedOnce() {
        Bench.take(store, Bench.asking("wanted").on(LeaseTerms.of(Duration.ofMinutes(2))));
        Bench.ask(store, Bench.asking("wanted").waiting());
        assertThat(harness.writesNothing(
                        () -> Bench.ask(store, Bench.asking("wanted").waiting())))
                .isTrue();
    }

    @Test
    void aWaitingCallerHearsOfItsTurnWhicheverStepSettledItsKey() throws Exception {
        try (Connection listening = server.connect()) {
            RowWait.execute(listening, "LISTEN " + channel);
            callerBehindALease("claimed");
            assertThat(store.work().claim(RunWords.claiming(1))).isEmpty();
            heardUpTo(listening, "claimed");
            callerBehindALease("refused");
            RunWords.submit(store, RunWords.submitting("refused", ConflictPolicy.REJECT));
            heardUpTo(listening, "refused");
        }
    }

    @Test
    void aWaitingCallerHearsThatItHasWaitedTooLong() throws Exception {
        try (Connection listening = server.connect()) {
            RowWait.execute(listening, "LISTEN " + channel);
            RunWords.queued(store, "held");
            RunWords.claim(store);
            queued("held", RunWords.spec().limits(new RunLimits(Duration.ofSeconds(5), null, Duration.ZERO)));
            harness.advance(Duration.ofSeconds(6));
            assertThat(store.work().claim(RunWords.claiming(1))).isEmpty();
            heardUpTo(listening, "held");
        }
    }

    /** A caller waits for its turn behind a lease that has just ended. */
    private void callerBehindALease(String name) {
        Bench.take(store, Bench.asking(name).on(LeaseTerms.of(Duration.ofSeconds(10))));
        queued(name, RunWords.spec());
        harness.advance(Duration.ofSeconds(11));
    }

    private void queued(String name, RunSpec spec) {
        SubmitRequest.Caller caller = new SubmitRequest.Caller(new LeaseId(RunWords.uuid()), Bench.HOLDER);
        SubmitRequest request =
                SubmitRequest.of(RunWords.freshRun(), Bench.key(name), spec.policy(ConflictPolicy.QUEUE));
        assertThat(RunWords.submit(store, request.by(caller))).isInstanceOf(SubmitAnswer.Queued.class);
    }

    @Test
    void aBrokenListenerComesBackAndWakesAllWatchers() {
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        try (LeaseStore mine = harness.open(Environment.system());
                var one = mine.changes().watch(Bench.key("a"), looks::incrementAndGet);
                var two = mine.changes().watch(Bench.key("b"), others::incrementAndGet)) {
            await().until(() -> looks.get() >= 1);
            int before = others.get();
            assertThat(server.ask(
                            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN "
                                    + channel + "'"))
                    .isEqualTo("1");
            await().until(() -> looks.get() >= 2 && others.get() > before);
        }
    }

    @Test
    void aWatcherThatThrowsHarmsNoOtherAndOneThatLeftHearsNothing() {
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger left = new AtomicInteger();
        try (LeaseStore mine = harness.open(Environment.system());
                var bad = mine.changes().watch(Bench.key("k"), () -> {
                    throw new IllegalStateException("a bad watcher, as the test wants it");
                });
                var good = mine.changes().watch(Bench.key("k"), looks::incrementAndGet)) {
            await().until(() -> looks.get() >= 1);
            var gone = mine.changes().watch(Bench.key("k"), left::incrementAndGet);
            gone.close();
            gone.close();
            LeaseRecord lease = Bench.take(store, "k");
            Bench.ask(mine, Bench.asking("k").waiting());
            int before = looks.get();
            Bench.release(store, lease);
            await().until(() -> looks.get() > before);
            assertThat(left.get()).isZero();
        }
    }

    /** A connection that is dead without saying so is found out, and what was missed meanwhile is made up for. */
    @Test
    void aListenerThatHearsNothingAnyMoreConnectsAgainAndWakesItsWatchers() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        try (Proxy proxy = new Proxy(server.port())) {
            PGSimpleDataSource raw = new PGSimpleDataSource();
            raw.setPortNumbers(new int[] {proxy.port()});
            raw.setUser("postgres");
            raw.setSocketTimeout(1);
            try (Listener listener = new Listener(
                            raw, settings(), Environment.system(), new Watchers<>(), "test", Duration.ofMillis(200));
                    var subscription = listener.watch(Bench.key("k"), looks::incrementAndGet)) {
                await().until(() -> looks.get() == 1);
                proxy.silenceConnectionsThatSaid("LISTEN");
                await().atMost(Duration.ofSeconds(10)).until(() -> looks.get() >= 2);
            }
        }
    }

    @Test
    void aListenerThatGotNoThreadStartsWithTheNextWatcher() {
        AtomicInteger threads = new AtomicInteger();
        Environment environment = new ForwardingEnvironment(Environment.system()) {
            @Override
            public ThreadFactory threads(String name) {
                return task -> threads.getAndIncrement() == 0
                        ? new Unborn()
                        : super.threads(name).newThread(task);
            }
        };
        PGSimpleDataSource raw = new PGSimpleDataSource();
        raw.setPortNumbers(new int[] {server.port()});
        raw.setUser("postgres");
        AtomicInteger looks = new AtomicInteger();
        try (Listener listener =
                new Listener(raw, settings(), environment, new Watchers<>(), "test", Listener.KEEP_ALIVE)) {
            assertThatThrownBy(() -> listener.watch(Bench.key("k"), looks::incrementAndGet))
                    .isInstanceOf(InternalError.class);
            try (var subscription = listener.watch(Bench.key("k"), looks::incrementAndGet)) {
                await().until(() -> looks.get() > 0);
                assertThat(looks).as("the first watcher was refused").hasValue(1);
            }
        }
    }

    /** A thread the machine has no room for. */
    private static final class Unborn extends Thread {
        @Override
        public synchronized void start() {
            throw new InternalError("unable to create native thread");
        }
    }

    @Test
    void wakeUpsAboutWorkAreGatheredAndKeepNoKeyWaiting() {
        AtomicLong nanos = new AtomicLong();
        Watchers<Long> watchers = new Watchers<>();
        Set<Long> woken = ConcurrentHashMap.newKeySet();
        for (long about = 1; about <= 4; about++) {
            long each = about;
            watchers.add(each, () -> woken.add(each));
        }
        PGSimpleDataSource raw = new PGSimpleDataSource();
        raw.setPortNumbers(new int[] {server.port()});
        raw.setUser("postgres");
        try (Announcer announcer =
                new Announcer(raw, settings(), new PostgresDialect(settings().names()), at(nanos), watchers)) {
            announcer.announceWork(List.of(Announcer.WakeUp.ofAll(1L)));
            await().until(() -> woken.contains(1L));
            announcer.announceWork(List.of(Announcer.WakeUp.ofAll(2L)));
            announcer.announce(List.of(Announcer.WakeUp.ofAll(3L)));
            await().until(() -> woken.contains(3L));
            assertThat(woken)
                    .as("the pause between wake-ups about work is not over")
                    .doesNotContain(2L);
            nanos.addAndGet(Duration.ofMillis(5).toNanos());
            await().until(() -> woken.contains(2L));
            announcer.announceWork(List.of(Announcer.WakeUp.ofAll(4L)));
        }
        assertThat(woken).as("what is left is sent at the end").contains(4L);
    }

    private static Environment at(AtomicLong nanos) {
        return new ForwardingEnvironment(Environment.system()) {
            @Override
            public Ticker ticker() {
                return nanos::get;
            }
        };
    }

    private ServerSettings settings() {
        return new ServerSettings(
                "test",
                new TableNames(harness.schema(), TableNames.DEFAULT_PREFIX),
                SchemaMode.NONE,
                ServerSettings.DEFAULT_MAX_LEASE,
                Duration.ofSeconds(1));
    }

    /** All that is heard until something is heard about a key. */
    private static List<String> heardUpTo(Connection connection, String name) throws SQLException {
        String hash = Long.toHexString(KeyHash.of(Bench.key(name)));
        List<String> heard = new ArrayList<>();
        PGConnection driver = connection.unwrap(PGConnection.class);
        while (!heard.contains(hash)) {
            PGNotification[] some = driver.getNotifications(10_000);
            assertThat(some).as("about " + name + ", after " + heard).isNotEmpty();
            for (PGNotification one : some) {
                heard.addAll(List.of(one.getParameter().split(",", -1)));
            }
        }
        return heard;
    }
}
