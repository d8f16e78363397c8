package io.interlock.cli.backend;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Shown;
import io.interlock.cli.text.Shown.ShellWords;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.service.Facts;
import io.interlock.service.LockFacts;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Leases without runs, on any store or of a server, for scripts that cannot wrap a command. A lease outlives this process. */
public final class BareLeases {

    private final Supplier<LeaseClient> clients;

    BareLeases(Supplier<LeaseClient> clients) {
        this.clients = clients;
    }

    /**
     * What proves a lease.
     *
     * @param leaseId a secret of its holder
     */
    public record Proof(LockKey key, String leaseId, long token) {

        private LeaseId id() {
            try {
                return LeaseId.parse(leaseId);
            } catch (IllegalArgumentException malformed) {
                throw Failure.usage("the lease id is none", "give what interlock acquire printed as leaseId");
            }
        }
    }

    /** {@code key, leaseId, token, expiresAt, heartbeatEvery}. */
    public Facts acquire(LockKey key, Duration ttl, Duration wait) throws InterruptedException {
        // Neither is closed: that would give the lease back, or wait for it. The process ends next.
        Locks locks = clients.get().locks().build();
        Acquisition answer = locks.acquire(key, wait, LeaseOptions.defaults().ttl(ttl));
        if (answer instanceof Acquisition.Refused refused) {
            throw busy(key, refused.refusal());
        }
        Lease lease = answer.orElseThrow();
        LeaseRecord record =
                locks.find(key).filter(found -> found.id().equals(lease.id())).orElseThrow(() -> lost(key));
        return LockFacts.lease(record, ttl);
    }

    /** Extends a lease; the answer is as of {@link #acquire}. */
    public Facts renew(Proof proof, Duration ttl) {
        try (LeaseClient client = clients.get()) {
            return client.renew(proof.key(), proof.id(), new FencingToken(proof.token()), ttl)
                    .map(record -> LockFacts.lease(record, ttl))
                    .orElseThrow(() -> lost(proof.key()));
        }
    }

    /** Gives a lease back; may be repeated. */
    public void release(Proof proof) {
        try (LeaseClient client = clients.get()) {
            client.release(proof.key(), proof.id(), new FencingToken(proof.token()));
        }
    }

    private static Failure busy(LockKey key, Refusal refusal) {
        return new Failure(
                ExitCode.BUSY,
                refusal.code(),
                Shown.sentence(Facts.with("key", key.name()).and("explanation", refusal.explanation())),
                "wait for it: interlock acquire --wait 30s " + ShellWords.join(List.of(key.name())));
    }

    private static Failure lost(LockKey key) {
        return new Failure(
                ExitCode.LEASE_LOST,
                "the lease of " + key + " is lost: it ran out or was taken away",
                "stop the work, and acquire anew");
    }
}
