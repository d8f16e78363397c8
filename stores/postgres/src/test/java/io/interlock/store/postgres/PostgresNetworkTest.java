package io.interlock.store.postgres;

import io.interlock.servers.PostgresServer;
import io.interlock.tck.BrokenNetworkContract;
import io.interlock.tck.RunStoreHarness;

/** The connection to PostgreSQL breaks, or the process is stopped. */
class PostgresNetworkTest extends BrokenNetworkContract {

    private final PostgresHarness harness = new PostgresHarness();

    @Override
    protected RunStoreHarness createHarness() {
        return harness;
    }

    @Override
    protected int port() {
        return PostgresServer.shared().port();
    }

    // With a threshold of 0 every request carries its text.
    @Override
    protected String url(int port, String options) {
        return "postgresql://postgres@localhost:" + port + "/postgres?prepareThreshold=0&schema=" + harness.schema()
                + "&" + options;
    }

    @Override
    protected Markers markers() {
        return new Markers("FOR NO KEY UPDATE OF l", "COMMIT\0", "WITH taken AS", "SET lease_id = NULL");
    }
}
