package io.interlock.store.sqlite;

import static io.interlock.store.sqlite.Caller.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.Stores;
import io.interlock.store.sql.SqlConnection;
import io.interlock.time.Environment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqliteFailureTest {

    @TempDir
    Path folder;

    private Path file;
    private String url;

    @BeforeEach
    void name() {
        file = folder.resolve("leases.db");
        url = "sqlite:" + file + "?timeout=100ms";
    }

    @Test
    void aWriterThatTakesTooLongMakesTheStoreUnavailableNotTheKeyHeld() {
        try (LeaseStore store = Stores.open(url);
                TestDatabase other = new TestDatabase(file)) {
            Caller caller = new Caller(store);
            LeaseRecord lease = caller.take(KEY);
            other.execute("BEGIN IMMEDIATE");

            assertThatThrownBy(() -> caller.ask(LockKey.of("free")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("raise timeout");
            assertThatThrownBy(() -> caller.renew(lease)).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> caller.release(lease)).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> store.bumpEpoch("a test")).isInstanceOf(StoreUnavailableException.class);
            // Reading waits for no writer.
            assertThat(caller.refusal(KEY)).isInstanceOf(Refusal.Held.class);
            assertThat(caller.find(KEY)).isPresent();
            assertThat(store.sweep(10)).isEmpty();

            other.execute("ROLLBACK");
            assertThat(caller.renew(lease)).isInstanceOf(RenewAnswer.Renewed.class);
            caller.take(LockKey.of("free"));
        }
    }

    @Test
    void everyWaitingCallEndsWithinAboutTheTimeout() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (LeaseStore store = Stores.open("sqlite:" + file + "?timeout=500ms");
                TestDatabase other = new TestDatabase(file)) {
            Caller caller = new Caller(store);
            LeaseRecord lease = caller.take(KEY);
            other.execute("BEGIN IMMEDIATE");
            List<Future<Duration>> waits = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                LockKey key = LockKey.of("free-" + i);
                waits.add(threads.submit(() -> untilUnavailable(() -> caller.ask(key))));
            }
            waits.add(threads.submit(() -> untilUnavailable(() -> caller.renew(lease))));
            for (Future<Duration> wait : waits) {
                assertThat(wait.get()).isLessThan(Duration.ofSeconds(1));
            }
            other.execute("ROLLBACK");
            caller.take(LockKey.of("free-0"));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aFullDiskGrantsNothingAndLosesNothing() {
        AtomicBoolean full = new AtomicBoolean();
        try (LeaseStore store = limited(full)) {
            Caller caller = new Caller(store);
            LeaseRecord lease = caller.take(KEY);
            full.set(true);

            List<LeaseRecord> granted = new ArrayList<>();
            Throwable failure = catchThrowable(() -> IntStream.range(0, 1000)
                    .forEach(i -> granted.add(caller.take(LockKey.of(i + "/" + "x".repeat(500))))));
            assertThat(failure).isInstanceOf(StoreUnavailableException.class).hasMessageContaining("out of space");
            assertThat(caller.find(LockKey.of(granted.size() + "/" + "x".repeat(500))))
                    .isEmpty();

            full.set(false);
            assertThat(caller.renew(lease)).isInstanceOf(RenewAnswer.Renewed.class);
            granted.forEach(each -> assertThat(caller.release(each)).isInstanceOf(ReleaseAnswer.Released.class));
            IntStream.range(0, 1000).forEach(i -> caller.take(LockKey.of(i + "/" + "x".repeat(500))));
        }
    }

    @Test
    void aFileThatWasReplacedIsNotTheStore() throws IOException {
        try (LeaseStore store = Stores.open(url)) {
            Caller caller = new Caller(store);
            LeaseRecord lease = caller.take(KEY);
            Files.move(file, folder.resolve("moved.db"));
            assertThatThrownBy(() -> caller.ask(KEY))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("moved, deleted or replaced");
            try (LeaseStore replacement = Stores.open(url)) {
                new Caller(replacement).take(KEY);
                assertThatThrownBy(() -> caller.renew(lease)).isInstanceOf(StoreUnavailableException.class);
            }
        }
    }

    @Test
    void aDamagedFileIsRefused() throws IOException {
        Stores.open(url).close();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[4000]), 100);
        }
        assertThatThrownBy(() -> Stores.open(url))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("damaged")
                .hasMessageContaining("bump-epoch");
    }

    @Test
    void tablesThatVanishMakeTheStoreUnavailable() {
        try (LeaseStore store = Stores.open(url);
                TestDatabase other = new TestDatabase(file)) {
            other.execute("DELETE FROM interlock_store");
            assertThatThrownBy(() -> new Caller(store).ask(KEY))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("open it again");
            other.execute("DROP TABLE interlock_lease");
            assertThatThrownBy(() -> new Caller(store).find(KEY)).isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void anInterruptDoesNotDisturbAStep() {
        try (LeaseStore store = Stores.open(url)) {
            Thread.currentThread().interrupt();
            LeaseRecord lease = new Caller(store).take(KEY);
            assertThat(new Caller(store).release(lease)).isInstanceOf(ReleaseAnswer.Released.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aClosedStoreIsUnavailable() {
        LeaseStore store = Stores.open(url);
        store.close();
        store.close();
        assertThatThrownBy(() -> new Caller(store).ask(KEY))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("closed");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("leases.db", "leases.db-turn");
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 8, 10, 11, 13, 14, 26, 5 | 2 << 8, 10 | 4 << 8, 1, 9, 7})
    void everyErrorInUseIsUnavailable(int code) {
        SQLException failure = new SQLException("[SAID BY SQLITE]", "", code);
        assertThat(SqliteErrors.unavailable("sqlite:x", failure))
                .hasMessageStartingWith("store sqlite:x ")
                .hasMessageContaining("[SAID BY SQLITE]")
                .hasCause(failure);
    }

    private static Duration untilUnavailable(ThrowingCallable call) {
        long start = System.nanoTime();
        assertThatThrownBy(call)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("longer than its timeout");
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private LeaseStore limited(AtomicBoolean full) {
        Stores.open(url).close();
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse(url));
        StoreClock clock = new StoreClock(
                settings.store(),
                HostClock.ofThisMachine(Environment.system()),
                Environment.system().clock());
        SqliteDialect dialect = new SqliteDialect(settings.names(), clock);
        FileConnector limited =
                new FileConnector(settings, dialect, Environment.system().ticker()) {
                    @Override
                    void check(SqlConnection connection) throws SQLException {
                        connection.trip().change("PRAGMA max_page_count = " + (full.get() ? 1 : 1_000_000));
                    }
                };
        return SqliteStoreFactory.open(limited, dialect, clock, Environment.system(), Duration.ofMinutes(5));
    }
}
