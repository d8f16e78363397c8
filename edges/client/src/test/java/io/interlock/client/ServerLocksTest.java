package io.interlock.client;

import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.Stores;
import io.interlock.tck.LockLibraryContract;
import io.interlock.tck.StoreHarness;
import io.interlock.time.Environment;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The contract of the lock library over HTTP: a server on SQLite in a process of its own, and clients of it in this process and in others,
 * of which some are killed and some are stopped past their ttl. The observer of each test looks into the file itself.
 */
class ServerLocksTest extends LockLibraryContract {

    @Override
    protected StoreHarness createHarness() throws IOException {
        return new ServerHarness(Files.createTempDirectory("interlock-client"));
    }

    private static final class ServerHarness implements StoreHarness {

        private final String file;
        private final TestServer server;
        private final String url;
        private final AtomicBoolean observed = new AtomicBoolean();

        ServerHarness(Path folder) {
            file = folder.resolve("interlock.db").toString();
            server = TestServer.start(folder, "sqlite:" + file);
            url = server.url() + "?key=" + server.apiKey() + "&tenant=acme";
        }

        /** The first after a reset is the observer. */
        @Override
        public LeaseStore open(Environment environment) {
            return observed.compareAndSet(false, true)
                    ? Stores.open("sqlite:" + file, environment)
                    : knowingVictims(Stores.open(url, environment));
        }

        /** The audit compares ids, and a server does not show the id of a lease that it evicts. */
        private LeaseStore knowingVictims(LeaseStore store) {
            return (LeaseStore) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                        try {
                            if (!method.getName().equals("evict")) {
                                return method.invoke(store, arguments);
                            }
                            EvictRequest request = (EvictRequest) arguments[0];
                            LeaseRecord known = seen(request.key());
                            return store.evict(request) instanceof EvictAnswer.Evicted evicted
                                    ? new EvictAnswer.Evicted(named(evicted.victim(), known), evicted.opensAt())
                                    : new EvictAnswer.Mismatch(known);
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    });
        }

        private LeaseRecord seen(LockKey key) {
            try (LeaseStore direct = Stores.open("sqlite:" + file)) {
                return direct.find(List.of(key)).get(0).orElseThrow();
            }
        }

        private static LeaseRecord named(LeaseRecord victim, LeaseRecord known) {
            return new LeaseRecord(
                    victim.key(),
                    known.id(),
                    known.holder(),
                    victim.token(),
                    victim.grantedAt(),
                    victim.expiresAt(),
                    victim.observedAt(),
                    victim.eviction());
        }

        @Override
        public void advance(Duration time) {
            execute("UPDATE interlock_store SET clock_offset = clock_offset + " + time.toNanos() / 1000);
        }

        @Override
        public void reset() {
            observed.set(false);
            execute("DELETE FROM interlock_lease");
        }

        @Override
        public Optional<String> url() {
            return Optional.of(url);
        }

        @Override
        public void close() {
            server.close();
        }

        private void execute(String sql) {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA busy_timeout = 10000");
                statement.execute(sql);
            } catch (SQLException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }
}
