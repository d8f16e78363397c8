package io.interlock.cli.backend;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.cli.backend.Backend.LeaseApi;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.engine.RemoteWork.Proof;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.service.Facts;
import io.interlock.service.LockFacts;
import io.interlock.time.Environment;
import java.time.Duration;

/** Leases on any store. What is acquired here stays when this process ends: nobody closes it. */
final class StoreLeases implements LeaseApi {

    private final String url;
    private final Environment environment;

    StoreLeases(String url, Environment environment) {
        this.url = url;
        this.environment = environment;
    }

    @Override
    public Facts acquire(LockKey key, Duration ttl, Duration wait) throws InterruptedException {
        // Neither is closed: that would give the lease back, or wait until somebody does. The process ends next.
        LeaseClient client = LeaseClient.open(url, environment);
        Locks locks = client.locks().build();
        Acquisition answer = locks.acquire(key, wait, LeaseOptions.defaults().ttl(ttl));
        if (answer instanceof Acquisition.Refused refused) {
            throw Backend.busy(key, refused.refusal().code(), refused.refusal().explanation());
        }
        Lease lease = answer.orElseThrow();
        LeaseRecord record =
                locks.find(key).filter(found -> found.id().equals(lease.id())).orElseThrow(() -> lost(key));
        return LockFacts.lease(record, ttl);
    }

    @Override
    public Facts renew(Proof proof, Duration ttl) {
        try (LeaseClient client = LeaseClient.open(url, environment)) {
            return client.renew(proof.key(), id(proof), new FencingToken(proof.token()), ttl)
                    .map(record -> LockFacts.lease(record, ttl))
                    .orElseThrow(() -> lost(proof.key()));
        }
    }

    @Override
    public void release(Proof proof) {
        try (LeaseClient client = LeaseClient.open(url, environment)) {
            client.release(proof.key(), id(proof), new FencingToken(proof.token()));
        }
    }

    private static LeaseId id(Proof proof) {
        try {
            return LeaseId.parse(proof.leaseId());
        } catch (IllegalArgumentException malformed) {
            throw Failure.usage("the lease id is none", "give what interlock acquire printed as leaseId");
        }
    }

    private static Failure lost(LockKey key) {
        return new Failure(
                ExitCode.LEASE_LOST,
                "the lease of " + key + " is lost: it ran out or was taken away",
                "stop the work, and acquire anew");
    }
}
