package io.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseLostException;
import io.interlock.LockKey;
import io.interlock.RefusedException;
import io.interlock.StaleTokenException;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.fencing.FencingGate;
import io.interlock.spi.Stores;
import io.interlock.spring.ExclusiveRun.OnConflict;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ExclusiveRunTest {

    private static final LockKey CLOSE = LockKey.of("acme", "nightly-close");

    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Application.class, Jobs.class, Ledger.class, Ticks.class);
    private final Locks locks = context.getBean(Locks.class);
    private final Jobs jobs = context.getBean(Jobs.class);
    private final Ledger ledger = context.getBean(Ledger.class);

    @AfterEach
    void closeContext() {
        context.close();
    }

    @Test
    void aMethodRunsUnderItsKeyAndFreesIt() throws Exception {
        FencingToken token = jobs.close(() -> {
            assertThat(locks.find(CLOSE).orElseThrow().token()).isEqualTo(CurrentLease.token());
            return CurrentLease.token();
        });
        assertThat(token).isNotNull();
        assertThat(locks.find(CLOSE)).isEmpty();
        assertThat(CurrentLease.get()).isEmpty();
        assertThatThrownBy(CurrentLease::token).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBusyKeyIsSkippedRejectedOrWaitedFor() throws Exception {
        try (Lease held = locks.tryAcquireAsync(List.of(CLOSE), LeaseOptions.defaults())
                .toCompletableFuture()
                .get()
                .orElseThrow()) {
            assertThat(jobs.close(() -> CurrentLease.token())).isNull();
            assertThat(jobs.maybe()).isEmpty();
            assertThatThrownBy(() -> jobs.closeOrFail(1))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("is held by");
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> jobs.closePatiently(7));
            assertThat(waiting).isNotDone();
            held.release();
            assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo(7);
        }
    }

    @Test
    void threadsTakeTurnsPerKeyOfTheExpression() throws Exception {
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String tenant = i % 2 == 0 ? "even" : "odd";
            calls.add(CompletableFuture.runAsync(() -> jobs.post(tenant)));
        }
        for (CompletableFuture<Void> call : calls) {
            call.get(30, TimeUnit.SECONDS);
        }
        assertThat(jobs.posted("even")).isEqualTo(20);
        assertThat(jobs.posted("odd")).isEqualTo(20);
    }

    @Test
    void aKeyMayNameItsTenantAndMustNotBeEmpty() {
        assertThat(jobs.whole(LockKey.of("other", "x"))).isEqualTo(LockKey.of("other", "x"));
        assertThatThrownBy(() -> jobs.post(""))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("'ledger/' + #tenant");
    }

    @Test
    void aLostLeaseInterruptsTheMethodAndEndsTheCall() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(() -> jobs.close(() -> {
                    locks.evict(CLOSE, CurrentLease.token(), "operator", "test");
                    never.await();
                    return null;
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void whatTheMethodThrowsIsThrown() {
        assertThatThrownBy(() -> jobs.close(() -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("disk");
        assertThatThrownBy(() -> jobs.close(() -> {
                    throw new InterruptedException("own");
                }))
                .isInstanceOf(InterruptedException.class)
                .hasMessage("own");
        assertThat(locks.find(CLOSE)).isEmpty();
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        try (Lease held = locks.tryAcquireAsync(List.of(CLOSE), LeaseOptions.defaults())
                .toCompletableFuture()
                .get()
                .orElseThrow()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> jobs.closePatiently(7)).isInstanceOf(CancellationException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void aMethodThatCallsItselfThroughTheProxyIsRefusedThoughItSkips() {
        assertThatThrownBy(() -> jobs.close(() -> jobs.close(() -> null)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("calling thread");
    }

    @Test
    void theKeyIsHeldUntilTheTransactionHasEnded() {
        ledger.add("a");
        assertThat(ledger.wasHeldAtCommit()).isTrue();
        assertThat(ledger.count()).isEqualTo(1);
        assertThat(locks.find(LockKey.of("acme", "book"))).isEmpty();
    }

    @Test
    void aTransactionUnderALostLeaseRollsBack() {
        assertThatThrownBy(() -> ledger.addAndLose("b")).isInstanceOf(LeaseLostException.class);
        assertThat(ledger.count()).isZero();
    }

    @Test
    void aWriteBehindTheGateIsRefusedOnceALaterHolderHasPassed() {
        ledger.post("4711", "a");
        assertThat(ledger.count()).isEqualTo(1);
        ledger.raise(LockKey.of("acme", "ledger/4711"), new FencingToken((1L << 53) - 1));
        assertThatThrownBy(() -> ledger.post("4711", "b")).isInstanceOf(StaleTokenException.class);
        assertThat(ledger.count()).isEqualTo(1);
    }

    @Test
    void aCallInsideOfATransactionIsRefused() {
        TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        assertThatThrownBy(() -> outer.executeWithoutResult(status -> ledger.add("c")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("commit after acme:book is free");
        assertThat(ledger.count()).isZero();
    }

    @Test
    void anAsyncMethodHasTheKeyOnItsOwnThread() throws Exception {
        jobs.later();
        assertThat(Jobs.LATER.poll(20, TimeUnit.SECONDS))
                .isNotNull()
                .isNotEqualTo(Thread.currentThread().getName());
    }

    @Test
    void aScheduledMethodRunsUnderItsKey() throws Exception {
        assertThat(Ticks.KEYS.poll(20, TimeUnit.SECONDS)).isEqualTo(LockKey.of("acme", "ticks"));
    }

    @Configuration
    @EnableExclusiveRun
    @EnableAsync
    @EnableScheduling
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Application {

        @Bean
        Locks locks() {
            return Locks.builder(Stores.open("memory:"))
                    .options(LeaseOptions.defaults().renewEvery(Duration.ofMillis(20)))
                    .closingStore()
                    .build();
        }

        @Bean
        ExclusiveRunSettings settings() {
            return new ExclusiveRunSettings("acme", false);
        }

        @Bean
        DataSource database() {
            JdbcDataSource source = new JdbcDataSource();
            source.setUrl("jdbc:h2:mem:" + System.identityHashCode(source) + ";DB_CLOSE_DELAY=-1");
            new JdbcTemplate(source).execute("CREATE TABLE entry (name VARCHAR(20))");
            new JdbcTemplate(source).execute(FencingGate.CREATE_TABLE);
            return source;
        }

        @Bean
        PlatformTransactionManager transactions(DataSource database) {
            DataSourceTransactionManager manager = new DataSourceTransactionManager(database);
            manager.addListener(new LostLeaseRollback());
            return manager;
        }
    }

    static class Jobs {

        static final SynchronousQueue<String> LATER = new SynchronousQueue<>();

        private int even;
        private int odd;

        @ExclusiveRun(key = "nightly-close")
        public <T> @Nullable T close(Callable<T> work) throws Exception {
            return work.call();
        }

        @ExclusiveRun(key = "nightly-close")
        public Optional<String> maybe() {
            return Optional.of("ran");
        }

        @ExclusiveRun(key = "nightly-close", onConflict = OnConflict.REJECT)
        public int closeOrFail(int answer) {
            return answer;
        }

        @ExclusiveRun(key = "nightly-${phase:close}", onConflict = OnConflict.REJECT, maxWait = "30s")
        public int closePatiently(int answer) {
            return answer;
        }

        @ExclusiveRun(
                key = "#tenant.isEmpty() ? '' : 'ledger/' + #tenant",
                onConflict = OnConflict.REJECT,
                maxWait = "30s")
        public void post(String tenant) {
            if (tenant.equals("even")) {
                even++;
            } else {
                odd++;
            }
        }

        int posted(String tenant) {
            return tenant.equals("even") ? even : odd;
        }

        @ExclusiveRun(key = "#p0")
        public @Nullable LockKey whole(LockKey key) {
            return CurrentLease.get().map(Lease::key).orElse(null);
        }

        @Async
        @ExclusiveRun(key = "later")
        public void later() throws InterruptedException {
            LATER.put(CurrentLease.get().isPresent() ? Thread.currentThread().getName() : "no lease");
        }
    }

    static class Ticks {

        static final SynchronousQueue<LockKey> KEYS = new SynchronousQueue<>();

        @Scheduled(fixedDelay = 50)
        @ExclusiveRun(key = "ticks", lease = "3s", maxRuntime = "1m")
        public void tick() {
            var unused = KEYS.offer(CurrentLease.get().orElseThrow().key());
        }
    }

    static class Ledger {

        private final JdbcTemplate database;
        private final Locks locks;
        private final FencingGate gate = new FencingGate();
        private boolean heldAtCommit;

        Ledger(DataSource source, Locks locks) {
            this.database = new JdbcTemplate(source);
            this.locks = locks;
        }

        @Transactional
        @ExclusiveRun(key = "book")
        public void add(String name) {
            database.update("INSERT INTO entry VALUES (?)", name);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    heldAtCommit = locks.find(LockKey.of("acme", "book")).isPresent();
                }
            });
        }

        @Transactional
        @ExclusiveRun(key = "book")
        public void addAndLose(String name) {
            database.update("INSERT INTO entry VALUES (?)", name);
            locks.evict(LockKey.of("acme", "book"), CurrentLease.token(), "operator", "test");
            CountDownLatch lost = new CountDownLatch(1);
            CurrentLease.get().orElseThrow().onLost(cause -> lost.countDown());
            boolean known = false;
            while (!known) {
                try {
                    lost.await();
                    known = true;
                } catch (InterruptedException ignoredByThisMethod) {
                    known = lost.getCount() == 0;
                }
            }
        }

        // snippet: springFenced
        @Transactional
        @ExclusiveRun(key = "'ledger/' + #account", onConflict = OnConflict.REJECT, maxWait = "5s")
        public void post(String account, String entry) {
            Lease lease = CurrentLease.get().orElseThrow();
            database.execute((ConnectionCallback<Boolean>) connection -> {
                gate.pass(connection, lease.key(), lease.token()); // before the first read
                return true;
            });
            database.update("INSERT INTO entry VALUES (?)", entry);
        }
        // end snippet

        @Transactional
        public void raise(LockKey key, FencingToken token) {
            database.execute((ConnectionCallback<Boolean>) connection -> {
                gate.pass(connection, key, token);
                return true;
            });
        }

        public boolean wasHeldAtCommit() {
            return heldAtCommit;
        }

        public int count() {
            Integer count = database.queryForObject("SELECT count(*) FROM entry", Integer.class);
            return count == null ? -1 : count;
        }
    }
}
