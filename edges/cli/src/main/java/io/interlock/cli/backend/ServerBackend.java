package io.interlock.cli.backend;

import io.interlock.cli.text.Failure;
import io.interlock.client.InterlockClient;
import io.interlock.client.Requests;
import io.interlock.client.ServerConnection;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Collectors;

/** Works through a server. */
public final class ServerBackend implements Backend {

    private static final int MAX_WITNESSES = 20;

    private final InterlockClient remote;
    private final ServerConnection client;
    private final String actor;
    private final Environment environment;

    /** Works through a server, for {@code actor}. */
    public ServerBackend(InterlockClient client, String actor, Environment environment) {
        this.remote = client;
        this.client = client.connection();
        this.actor = actor;
        this.environment = environment;
    }

    @Override
    public Requests requests() {
        return client;
    }

    /** REST wants the time at which it ends. */
    @Override
    public Facts lasting(Duration time) {
        return Facts.with("until", environment.clock().instant().plus(time));
    }

    @Override
    public KeyAcquirer acquirer() {
        return new RunKeyAcquirer(this, remote::submit, environment, actor);
    }

    @Override
    public BareLeases leases() {
        return new BareLeases(remote::leases);
    }

    @Override
    public void close() {
        remote.close();
    }

    @Override
    public Facts verifyAudit(Evidence evidence) {
        if (evidence.key() != null || evidence.keptFor() != null) {
            throw Failure.usage(
                    "a server has its own audit key and knows how long it keeps records",
                    "leave --audit-key-file and --kept-for out, or name the store itself: --store URL");
        }
        // The greatest positions prove the most: a link is made of all before it.
        String witnesses = evidence.witnesses().stream()
                .sorted(Comparator.comparingLong(Witness::position).reversed())
                .limit(MAX_WITNESSES)
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
}
