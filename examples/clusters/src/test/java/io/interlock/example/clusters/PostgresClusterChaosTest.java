package io.interlock.example.clusters;

import io.interlock.servers.PostgresServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;

/** On a real PostgreSQL. */
class PostgresClusterChaosTest extends ClusterChaosContract {

    private static final PostgresServer postgres = PostgresServer.start(PostgresServer.DURABLE);

    @AfterAll
    static void end() {
        postgres.close();
    }

    @Override
    String store(Path folder) {
        return postgres.url("timeout=1s");
    }

    @Override
    void away(Runnable meanwhile) {
        postgres.stop();
        meanwhile.run();
        postgres.startAgain();
    }

    @Override
    void loseLease(String key) {
        postgres.execute("UPDATE interlock_lease SET lease_id = NULL WHERE name = '" + key + "'");
    }
}
