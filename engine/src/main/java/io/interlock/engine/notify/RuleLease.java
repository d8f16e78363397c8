package io.interlock.engine.notify;

import io.interlock.LockKey;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import org.jspecify.annotations.Nullable;

/** Sees to it that one process at a time tells what a rule says. Belongs to one thread at a time. */
final class RuleLease {

    static final String TENANT = "interlock";

    private final Locks locks;
    private final LockKey key;
    private @Nullable Lease lease;

    RuleLease(Locks locks, String rule) {
        this.locks = locks;
        key = LockKey.of(TENANT, "notify/" + rule);
    }

    /** Whether it is this process's turn; asks for it if it is nobody's. */
    boolean isMine() {
        if (lease == null || !lease.isHeld()) {
            leave();
            lease = locks.tryAcquire(key).lease().orElse(null);
        }
        return lease != null;
    }

    /** Lets somebody else have the turn. */
    void leave() {
        if (lease != null) {
            lease.close();
            lease = null;
        }
    }
}
