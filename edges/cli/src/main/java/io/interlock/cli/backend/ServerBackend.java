package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Through a server. */
public final class ServerBackend implements Backend, HouseBook {

    private final ServerClient client;
    private final Environment environment;

    private ServerBackend(ServerClient client, Environment environment) {
        this.client = client;
        this.environment = environment;
    }

    /**
     * A server.
     *
     * @param url where it is
     * @param headers what every request carries, such as the API key
     */
    public static ServerBackend at(String url, Map<String, String> headers, Environment environment) {
        return new ServerBackend(new ServerClient(url, headers), environment);
    }

    @Override
    public Door door() {
        return new ServerDoor(client, environment);
    }

    @Override
    public LockBook locks() {
        return new ServerLocks(client, environment);
    }

    @Override
    public RunBook runs() {
        return new ServerRuns(client);
    }

    @Override
    public LeaseBook leases() {
        return new ServerLeases(client, environment);
    }

    @Override
    public KeyBook keys() {
        return new ServerKeys(client);
    }

    @Override
    public HouseBook house() {
        return this;
    }

    @Override
    public List<Facts> audit(@Nullable String key, @Nullable String run, int limit) {
        return client.items(limit, "/audit", "key", key == null ? "" : key, "run", run == null ? "" : run);
    }

    @Override
    public Facts verifyAudit() {
        throw needsStore("the audit log is verified");
    }

    @Override
    public List<Facts> jobs() {
        return client.get("/jobs").list("items");
    }

    @Override
    public List<Facts> sweeps() {
        return client.get("/janitor").list("sweeps");
    }

    @Override
    public List<Facts> sweep(boolean dryRun) {
        throw needsStore("a sweep is ordered");
    }

    @Override
    public List<Facts> workers() {
        return client.get("/workers").list("items");
    }

    @Override
    public void close() {
        // Nothing is kept open.
    }

    private static Failure needsStore(String what) {
        return new Failure(
                ExitCode.CONFIGURATION, what + " straight on the store, not through a server", "use --store URL");
    }
}
