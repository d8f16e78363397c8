package io.interlock.store.mariadb;

import io.interlock.servers.MariaDbServer;
import io.interlock.tck.BrokenNetworkContract;
import io.interlock.tck.RunStoreHarness;

/** The connection to MariaDB breaks, or the process is stopped. */
class MariaDbNetworkTest extends BrokenNetworkContract {

    private static final String COMMIT = "COMMIT$";

    private String prefix = "";

    @Override
    protected RunStoreHarness createHarness() {
        MariaDbHarness harness = MariaDbHarness.create();
        prefix = harness.table("");
        return harness;
    }

    @Override
    protected int port() {
        return MariaDbServer.shared().port();
    }

    @Override
    protected String url(int port, String options) {
        return "mariadb://root@127.0.0.1:" + port + "/" + MariaDbServer.DATABASE + "?prefix=" + prefix + "&" + options;
    }

    @Override
    protected Markers markers() {
        return new Markers("FOR UPDATE", COMMIT, COMMIT, COMMIT);
    }
}
