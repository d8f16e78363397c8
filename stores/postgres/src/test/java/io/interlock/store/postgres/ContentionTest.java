package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Many who want the same rows, and a server that dies under them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContentionTest {

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final LeaseStore store = harness.open(Environment.system());

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
    void inCompanyARequestWhoseRowIsLockedIsLeftOpenAndTheOthersAreAnswered() throws Exception {
        LeaseRecord held = Bench.take(store, "held");
        LeaseRecord free = Bench.take(store, "free");
        try (Connection holder = server.connect()) {
            holder.setAutoCommit(false);
            RowWait.execute(holder, "SELECT FROM " + harness.table("lease") + " WHERE name = 'held' FOR UPDATE");
            Answers<RenewAnswer> renewed = store.renew(List.of(renewing(held), renewing(free)));
            assertThat(renewed.isOpen(0)).isTrue();
            assertThat(renewed.get(1)).isInstanceOf(RenewAnswer.Renewed.class);
            Answers<ReleaseAnswer> released = store.release(List.of(Bench.releasing(held), Bench.releasing(free)));
            assertThat(released.isOpen(0)).isTrue();
            assertThat(released.get(1)).isInstanceOf(ReleaseAnswer.Released.class);
            Answers<AcquireAnswer> acquired = store.tryAcquire(List.of(
                    Bench.asking("free"),
                    Bench.asking("held").waiting(),
                    Bench.asking("held", "new"),
                    Bench.asking("new")));
            assertThat(acquired.get(0)).isInstanceOf(AcquireAnswer.Granted.class);
            assertThat(acquired.isOpen(1)).as("could not leave its mark").isTrue();
            assertThat(acquired.get(3)).isInstanceOf(AcquireAnswer.Granted.class);
            holder.rollback();
        }
    }

    @Test
    void aPlainRefusalWaitsForNobody() throws Exception {
        Bench.take(store, "held");
        try (Connection holder = server.connect()) {
            holder.setAutoCommit(false);
            RowWait.execute(holder, "UPDATE " + harness.table("lease") + " SET label = 'x' WHERE name = 'held'");
            assertThat(Bench.ask(store, Bench.asking("held"))).isInstanceOf(AcquireAnswer.Refused.class);
            holder.rollback();
        }
    }

    @Test
    void aloneItWaitsAndThenHasItsAnswer() throws Exception {
        LeaseRecord held = Bench.take(store, "held");
        RowWait<RenewAnswer> wait = RowWait.during(
                server,
                "SELECT FROM " + harness.table("lease") + " WHERE name = 'held' FOR UPDATE",
                () -> Bench.renew(store, held));
        assertThat(wait.answer()).isInstanceOf(RenewAnswer.Renewed.class);
    }

    @Test
    void aloneItIsAnsweredThoughItsRowIsForgottenAndMadeAnewMeanwhile() throws Exception {
        LeaseRecord lease = Bench.take(store, "k");
        String forgetting = "DELETE FROM " + harness.table("lease") + " WHERE name = 'k'";
        RowWait.Meanwhile makingAnew = holder -> RowWait.execute(
                holder,
                "INSERT INTO " + harness.table("lease") + " (tenant, name, plain, used_at) VALUES ('acme', 'k', 0, 0)");
        assertThat(RowWait.during(server, forgetting, () -> Bench.renew(store, lease), makingAnew)
                        .answer())
                .isEqualTo(new RenewAnswer.Lost(LossCause.GONE, null));
        assertThat(RowWait.during(server, forgetting, () -> Bench.release(store, lease), makingAnew)
                        .answer())
                .isEqualTo(new ReleaseAnswer.Gone(null));
        assertThat(RowWait.during(server, forgetting, () -> Bench.take(store, "k"), makingAnew)
                        .answer()
                        .token())
                .isGreaterThan(lease.token());
    }

    @Test
    void aRowThatStaysLockedMakesTheStoreUnavailableForItsKeyOnly() throws Exception {
        try (LeaseStore hasty = Stores.open(harness.url("timeout=1s"));
                Connection holder = server.connect()) {
            LeaseRecord held = Bench.take(hasty, "held");
            holder.setAutoCommit(false);
            RowWait.execute(holder, "SELECT FROM " + harness.table("lease") + " WHERE name = 'held' FOR UPDATE");
            assertThatThrownBy(() -> Bench.release(hasty, held))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("lock timeout");
            Bench.take(hasty, "other");
            holder.rollback();
            assertThat(Bench.release(hasty, held)).isInstanceOf(ReleaseAnswer.Released.class);
        }
    }

    @Test
    void overlappingBundlesInAllOrdersNeverDeadlock() throws Exception {
        String[] names = {"a", "b", "c", "d", "e"};
        String deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'";
        String before = server.ask(deadlocks);
        AtomicInteger grants = new AtomicInteger();
        try (LeaseStore other = harness.open(Environment.system())) {
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int client = 0; client < 6; client++) {
                LeaseStore mine = client % 2 == 0 ? store : other;
                Random random = new Random(client);
                clients.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 60; i++) {
                        List<AcquireRequest> batch = new ArrayList<>();
                        for (int j = 0; j <= random.nextInt(3); j++) {
                            batch.add(Bench.asking(
                                    names[random.nextInt(5)], names[random.nextInt(5)], names[random.nextInt(5)]));
                        }
                        grants.addAndGet(takeAndRelease(mine, batch));
                    }
                }));
            }
            for (CompletableFuture<Void> client : clients) {
                client.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(grants.get()).isPositive();
        assertThat(server.ask(deadlocks)).isEqualTo(before);
        assertThat(server.ask("SELECT count(*) FROM " + harness.table("lease") + " WHERE lease_id IS NOT NULL"))
                .isEqualTo("0");
    }

    @Test
    void whenTheServerDiesUnderEightThreadsNothingIsGrantedTwice() throws Exception {
        Unprotected section = new Unprotected();
        AtomicBoolean enough = new AtomicBoolean();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        try (LeaseStore other = harness.open(Environment.system())) {
            for (int i = 0; i < 8; i++) {
                LeaseStore mine = i % 2 == 0 ? store : other;
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            while (!enough.get()) {
                                section.visit(mine);
                            }
                        },
                        task -> new Thread(task).start()));
            }
            for (int crash = 1; crash <= 2; crash++) {
                int goal = section.visits + 40;
                await().atMost(Duration.ofSeconds(20)).until(() -> section.visits >= goal);
                server.crash();
            }
            int goal = section.visits + 40;
            await().atMost(Duration.ofSeconds(20)).until(() -> section.visits >= goal);
            enough.set(true);
            for (CompletableFuture<Void> thread : threads) {
                thread.get(30, TimeUnit.SECONDS);
            }
        }
        assertThat(section.violations).isEmpty();
        assertThat(section.visits).isEqualTo(section.grants.get());
    }

    /** A counter that only the lease protects. */
    private static final class Unprotected {
        private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger grants = new AtomicInteger();
        private volatile int visits;
        private volatile int inside;
        private volatile long lastToken;

        void visit(LeaseStore store) {
            AcquireRequest request = Bench.asking("counter");
            AcquireAnswer answer = untilClear(() -> Bench.ask(store, request));
            if (answer instanceof AcquireAnswer.Granted granted) {
                LeaseRecord lease = granted.grants().get(0).lease();
                grants.incrementAndGet();
                enter(lease.token().value());
                ReleaseAnswer released = untilClear(() -> Bench.release(store, lease));
                if (released instanceof ReleaseAnswer.Lapsed) {
                    violations.add("lapsed " + lease);
                }
            }
        }

        // Reads and writes apart, on purpose: two at a time would lose a visit.
        private void enter(long token) {
            int others = inside;
            inside = others + 1;
            if (others != 0 || token <= lastToken) {
                violations.add("token " + token + " after " + lastToken + " beside " + others);
            }
            lastToken = token;
            int seen = visits;
            Thread.onSpinWait();
            visits = seen + 1;
            inside = others;
        }

        private static <T> T untilClear(Supplier<T> call) {
            while (true) {
                try {
                    return call.get();
                } catch (StoreUnavailableException askAgain) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static int takeAndRelease(LeaseStore store, List<AcquireRequest> batch) {
        Answers<AcquireAnswer> answers = store.tryAcquire(batch);
        int granted = 0;
        for (int i = 0; i < answers.size(); i++) {
            if (!answers.isOpen(i) && answers.get(i) instanceof AcquireAnswer.Granted grant) {
                granted++;
                grant.grants().forEach(one -> Bench.release(store, one.lease()));
            }
        }
        return granted;
    }

    private static RenewRequest renewing(LeaseRecord lease) {
        return new RenewRequest(lease.key(), lease.id(), lease.token(), Bench.TTL);
    }
}
