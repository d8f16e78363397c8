package io.interlock.spring;

import io.interlock.FencingToken;
import io.interlock.locks.Lease;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lease under which the current thread runs an {@link ExclusiveRun} method; the innermost one if they are nested. */
public final class CurrentLease {

    private static final ThreadLocal<@Nullable Lease> LEASE = new ThreadLocal<>();

    private CurrentLease() {}

    /** The lease, if the thread runs such a method. */
    public static Optional<Lease> get() {
        return Optional.ofNullable(LEASE.get());
    }

    /**
     * The fencing token. Pass it to whatever the method changes.
     *
     * @throws IllegalStateException if the thread runs no such method
     */
    public static FencingToken token() {
        return get().map(Lease::token)
                .orElseThrow(() -> new IllegalStateException("this thread runs no @ExclusiveRun method;"
                        + " read the token in the method itself and hand it to other threads"));
    }

    /** Makes {@code lease} the current one and returns the one before, to be restored by another call. */
    static @Nullable Lease replace(@Nullable Lease lease) {
        Lease before = LEASE.get();
        if (lease == null) {
            LEASE.remove();
        } else {
            LEASE.set(lease);
        }
        return before;
    }
}
