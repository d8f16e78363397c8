package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.Witness;
import io.interlock.time.Environment;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Through a server. */
public final class ServerBackend implements Backend, AdminApi {

    /** As many as a request may have. */
    private static final int MOST_WITNESSES = 20;

    private final ServerClient client;
    private final Environment environment;

    private ServerBackend(ServerClient client, Environment environment) {
        this.client = client;
        this.environment = environment;
    }

    /** The server that {@code client} speaks to. */
    public static ServerBackend at(ServerClient client, Environment environment) {
        return new ServerBackend(client, environment);
    }

    @Override
    public KeyAcquirer acquirer() {
        return new ServerKeyAcquirer(client, environment);
    }

    @Override
    public LockApi locks() {
        return new ServerLocks(client, environment);
    }

    @Override
    public RunApi runs() {
        return new ServerRuns(client);
    }

    @Override
    public LeaseApi leases() {
        return new ServerLeases(client, environment);
    }

    @Override
    public KeyApi keys() {
        return new ServerKeys(client);
    }

    @Override
    public AdminApi admin() {
        return this;
    }

    @Override
    public List<Facts> audit(@Nullable String key, @Nullable String run, int limit) {
        return client.items(limit, "/audit", "key", key == null ? "" : key, "run", run == null ? "" : run);
    }

    @Override
    public Facts verifyAudit(AuditEvidence evidence) {
        if (evidence.key() != null || evidence.keptFor() != null) {
            throw Failure.usage(
                    "a server has its own audit key and knows how long it keeps records",
                    "leave --audit-key-file and --kept-for out, or name the store itself: --store URL");
        }
        // The greatest positions prove the most: a link is made of all before it.
        String witnesses = evidence.witnesses().stream()
                .sorted(Comparator.comparingLong(Witness::position).reversed())
                .limit(MOST_WITNESSES)
                .map(Witness::toString)
                .collect(Collectors.joining(","));
        return client.get("/audit/verify", "witness", witnesses);
    }

    @Override
    public Facts signAudit(AuditKey key) {
        throw Failure.usage(
                "an audit log is signed anew at the store itself, not through the server",
                "name the store that the server uses: --store URL");
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
        if (!dryRun) {
            return client.order("/janitor/sweep").list("sweeps");
        }
        List<Facts> due = locks().list("").stream()
                .filter(lock -> lock.in("holder").text("holder").isPresent()
                        && !lock.in("holder").is("alive"))
                .map(lock -> Facts.with("key", lock.shown("key"))
                        .and("run", lock.in("holder").text("runId").orElse(null))
                        .and("why", lock.shown("explanation"))
                        .done())
                .toList();
        return List.of(Facts.with("sweep", "due").and("actions", due).done());
    }

    @Override
    public Facts resource(String key) {
        return client.get("/resources", "key", key);
    }

    @Override
    public Facts setResource(String key, String state, @Nullable String kind, String reason) {
        return client.put(
                "/resources",
                Facts.with("key", key)
                        .and("state", state)
                        .and("kind", kind)
                        .and("reason", reason)
                        .done());
    }

    @Override
    public List<Facts> workers() {
        return client.get("/workers").list("items");
    }

    @Override
    public void close() {
        // Nothing is kept open.
    }
}
