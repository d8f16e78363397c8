package io.interlock.store.sqlite;

import static io.interlock.store.sqlite.Caller.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.Stores;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.SqlConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqliteOpeningTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sqlite:                    | names no file",
                "sqlite::memory:            | use memory:",
                "sqlite:file:x?mode=memory  | unknown options [mode]",
                "sqlite:x.db?prefix=a-b     | prefix 'a-b'",
                "sqlite:x.db?maxLease=1s    | shortest lease of 2s",
                "sqlite:x.db?timeout=0s     | from 1ms to 1m",
                "sqlite:x.db?timeout=2m     | from 1ms to 1m",
                "sqlite:x.db?migrate=maybe  | apply, validate or none",
                "sqlite:x.db?maxlease=5m    | known are [maxLease, migrate, prefix, timeout]",
            })
    void refusesAUrlThatIsWrong(String url, String why) {
        assertThatThrownBy(() -> Stores.open(url))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining(why);
        assertThat(Path.of("x.db")).doesNotExist();
    }

    @Test
    void refusesADirectoryThatIsNotThereAndMakesNone() throws IOException {
        assertThatThrownBy(() -> open("missing/leases.db", ""))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("create " + folder.resolve("missing") + " first");
        assertThat(files()).isEmpty();
    }

    @Test
    void refusesADirectory() {
        assertThatThrownBy(() -> Stores.open("sqlite:" + folder))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("is a directory");
    }

    @Test
    void refusesAPlaceWhereNoFileCanBeMade() {
        assertThatThrownBy(() -> Stores.open("sqlite:/proc/leases.db"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("sqlite:/proc/leases.db")
                .hasMessageContaining("allow");
    }

    @Test
    void refusesAFileOrDirectoryThatCannotBeWritten() throws IOException {
        assumeFalse(Files.isWritable(Path.of("/proc")), "root may write everywhere");
        open("leases.db", "").close();
        Path file = folder.resolve("leases.db");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        assertThatThrownBy(() -> open("leases.db", ""))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("allow writing to " + file.toRealPath());

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assertThatThrownBy(() -> open("leases.db", ""))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("allow writing to " + folder.toRealPath());
        } finally {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void refusesAFileThatIsNoDatabaseAndLeavesIt() throws IOException {
        String text = "Dear diary, ".repeat(1000);
        Files.writeString(folder.resolve("diary.txt"), text);

        assertThatThrownBy(() -> open("diary.txt", ""))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("no SQLite database");
        assertThat(folder.resolve("diary.txt")).hasContent(text);
        assertThat(files()).containsExactly("diary.txt");
    }

    @Test
    void refusesADatabaseThatKeepsOtherText() {
        try (TestDatabase other = new TestDatabase(folder.resolve("leases.db"))) {
            other.execute("PRAGMA encoding = 'UTF-16'");
            other.execute("CREATE TABLE theirs (id integer)");
        }
        assertThatThrownBy(() -> open("leases.db", ""))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("UTF-16");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs", "nfs4", "NFS4", "cifs", "smb3", "9p", "fuse.sshfs"})
    void refusesFileSystemsThatMachinesShare(String fileSystem) {
        StoreUrl url = StoreUrl.parse("sqlite:/mnt/leases.db");
        assertThatThrownBy(() -> SqliteSettings.requireLocal(url, fileSystem))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("network file system")
                .hasMessageContaining("postgresql:");
        SqliteSettings.requireLocal(url, "ext4");
        SqliteSettings.requireLocal(url, "overlay");
    }

    @ParameterizedTest
    @ValueSource(strings = {"validate", "none"})
    void makesNoFileUnlessItMayMakeTables(String mode) throws IOException {
        assertThatThrownBy(() -> open("leases.db", "?migrate=" + mode))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("does not exist");
        assertThat(files()).isEmpty();
    }

    @Test
    void saysWhatIsMissingInAForeignDatabase() {
        try (TestDatabase other = new TestDatabase(folder.resolve("theirs.db"))) {
            other.execute("CREATE TABLE theirs (id integer)");
        }
        assertThatThrownBy(() -> open("theirs.db", "?migrate=validate"))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("001_store");
        assertThatThrownBy(() -> open("theirs.db", "?migrate=none"))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("no such table");
        open("theirs.db", "").close();
        open("theirs.db", "?migrate=validate").close();
        open("theirs.db", "?migrate=none").close();
    }

    @Test
    void refusesASchemaFromTheFuture() {
        open("leases.db", "").close();
        try (TestDatabase database = new TestDatabase(folder.resolve("leases.db"))) {
            database.execute("INSERT INTO interlock_migration VALUES (7, 'later', 'x', '2030')");
        }
        assertThatThrownBy(() -> open("leases.db", ""))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("version 7");
    }

    @Test
    void differentPrefixesDoNotMeet() {
        try (LeaseStore one = open("leases.db", "?prefix=one_");
                LeaseStore two = open("leases.db", "?prefix=two_")) {
            new Caller(one).take(KEY);
            new Caller(two).take(KEY);
            one.bumpEpoch("a test");
            assertThat(new Caller(two).find(KEY)).isPresent();
            assertThat(new Caller(two).take(LockKey.of("other"))).isNotNull();
        }
    }

    @Test
    void theLongestLeaseOnlyGrows() {
        open("leases.db", "?maxLease=2m").close();
        try (LeaseStore longer = open("leases.db", "?maxLease=10m")) {
            assertThat(longer.capabilities().maxLease()).isEqualTo(Duration.ofMinutes(10));
        }
        try (LeaseStore store = open("leases.db", "?maxLease=2m")) {
            assertThat(store.capabilities().maxLease()).isEqualTo(Duration.ofMinutes(10));
            AcquireRequest tooLong = AcquireRequest.of(
                    KEY, Caller.request(KEY).id(), Caller.request(KEY).holder(), Duration.ofMinutes(11));
            assertThatThrownBy(() -> store.tryAcquire(List.of(tooLong)))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("10m");
        }
    }

    @Test
    void aLinkLeadsToTheSameStore() throws IOException {
        try (LeaseStore store = open("leases.db", "")) {
            Files.createSymbolicLink(folder.resolve("link.db"), folder.resolve("leases.db"));
            new Caller(store).take(KEY);
            try (LeaseStore linked = open("link.db", "")) {
                assertThat(new Caller(linked).find(KEY)).isPresent();
            }
        }
        assertThat(files()).containsExactly("leases.db", "leases.db-turn", "link.db");
    }

    @Test
    void expandsTheHomeDirectory() {
        String home = System.getProperty("user.home");
        assertThat(SqliteSettings.file(StoreUrl.parse("sqlite:~/x.db"), SchemaMode.APPLY))
                .isEqualTo(Path.of(home, "x.db"));
        assertThat(SqliteSettings.file(StoreUrl.parse("sqlite:x.db"), SchemaMode.APPLY))
                .isEqualTo(Path.of("x.db").toAbsolutePath());
    }

    @Test
    void commitsAreOnDiskBeforeTheyAreAnswered() throws Exception {
        open("leases.db", "").close();
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + folder.resolve("leases.db")));
        StoreClock clock = new StoreClock("test", FakeHostClock.booted("boot-1"), Instant::now);
        SqliteDialect dialect = new SqliteDialect(settings.names(), clock);
        try (SqlConnection connection = new FileConnector(settings, dialect, System::nanoTime).open()) {
            assertThat(pragma(connection, "journal_mode")).isEqualTo("wal");
            assertThat(pragma(connection, "synchronous")).isEqualTo("2");
            assertThat(pragma(connection, "busy_timeout")).isEqualTo("5000");
        }
    }

    @Test
    void itsFilesAreForTheirOwnerAlone() throws IOException {
        try (LeaseStore store = open("leases.db", "")) {
            new Caller(store).take(KEY);
            assertThat(files())
                    .containsExactly("leases.db", "leases.db-shm", "leases.db-turn", "leases.db-wal")
                    .allSatisfy(name -> assertThat(permissions(name)).isEqualTo("rw-------"));
        }
    }

    @Test
    void whoMayUseTheDatabaseMayUseItsSideFile() throws IOException {
        open("leases.db", "").close();
        Files.delete(folder.resolve("leases.db-turn"));
        Files.setPosixFilePermissions(folder.resolve("leases.db"), PosixFilePermissions.fromString("rw-rw----"));
        open("leases.db", "").close();
        assertThat(permissions("leases.db-turn")).isEqualTo("rw-rw----");
    }

    @Test
    void aPathMayHaveAnyCharacters() throws IOException {
        Path odd = Files.createDirectory(folder.resolve("50% é #1 & more"));
        try (LeaseStore store = Stores.open("sqlite:" + odd.resolve("a b.db"))) {
            new Caller(store).take(KEY);
        }
        try (Stream<Path> found = Files.list(odd)) {
            assertThat(found.map(path -> String.valueOf(path.getFileName())))
                    .containsExactlyInAnyOrder("a b.db", "a b.db-turn");
        }
    }

    @Test
    void manyOpenAFreshFileAtOnce() throws Exception {
        int starts = 8;
        CyclicBarrier together = new CyclicBarrier(starts);
        ExecutorService pool = Executors.newFixedThreadPool(starts);
        try {
            List<Future<LeaseStore>> results = new ArrayList<>();
            for (int i = 0; i < starts; i++) {
                results.add(pool.submit(() -> {
                    together.await();
                    return open("fresh.db", "");
                }));
            }
            int granted = 0;
            List<LeaseStore> stores = new ArrayList<>();
            for (Future<LeaseStore> result : results) {
                stores.add(result.get());
                granted += new Caller(result.get()).ask(KEY) instanceof AcquireAnswer.Granted ? 1 : 0;
            }
            stores.forEach(LeaseStore::close);
            assertThat(granted).isEqualTo(1);
        } finally {
            pool.shutdown();
        }
    }

    private LeaseStore open(String file, String options) {
        return Stores.open("sqlite:" + folder.resolve(file) + options);
    }

    private static String pragma(SqlConnection connection, String name) throws SQLException {
        return connection.trip().ask("PRAGMA " + name, row -> row.next() ? row.getString(1) : "");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            return found.map(path -> String.valueOf(path.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    private String permissions(String name) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name)));
    }
}
