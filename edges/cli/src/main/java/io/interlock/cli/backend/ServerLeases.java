package io.interlock.cli.backend;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.ThisProcess;
import io.interlock.cli.text.Facts;
import io.interlock.time.Environment;
import java.time.Duration;

/** Leases without runs, by a server. */
final class ServerLeases implements LeaseBook {

    private final ServerClient client;
    private final Environment environment;

    ServerLeases(ServerClient client, Environment environment) {
        this.client = client;
        this.environment = environment;
    }

    @Override
    public Facts acquire(LockKey key, Duration ttl, Duration wait) {
        Facts body = Facts.with("key", key.name())
                .and("leaseId", LeaseId.random(environment.random()))
                .and("ttl", ttl)
                .and("wait", wait.isZero() ? null : wait)
                .and("holder", ThisProcess.holder(environment.random()).label())
                .done();
        return ServerClient.good(client.tryPost("/locks/acquire", body, wait)).body();
    }

    @Override
    public Facts renew(Proof proof, Duration ttl) {
        return client.post("/locks/renew", facts(proof).and("ttl", ttl.toString()));
    }

    @Override
    public void release(Proof proof) {
        client.post("/locks/release", facts(proof));
    }

    private static Facts facts(Proof proof) {
        return Facts.with("key", proof.key().name())
                .and("leaseId", proof.leaseId())
                .and("token", proof.token())
                .done();
    }
}
