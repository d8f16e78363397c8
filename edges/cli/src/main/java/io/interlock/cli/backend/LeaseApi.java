package io.interlock.cli.backend;

import io.interlock.LockKey;
import io.interlock.cli.text.Facts;
import java.time.Duration;

/** Leases without runs, for scripts that cannot wrap a command. */
public interface LeaseApi {

    /**
     * What proves a lease.
     *
     * @param key the key
     * @param leaseId the grant's name, a secret of its holder
     * @param token the grant's token
     */
    record Proof(LockKey key, String leaseId, long token) {}

    /** Takes a key: {@code key, leaseId, token, expiresAt, heartbeatEvery}. */
    Facts acquire(LockKey key, Duration ttl, Duration wait) throws InterruptedException;

    /** Extends a lease; the answer is as of {@link #acquire}. */
    Facts renew(Proof proof, Duration ttl);

    /** Gives a lease back; may be repeated. */
    void release(Proof proof);
}
