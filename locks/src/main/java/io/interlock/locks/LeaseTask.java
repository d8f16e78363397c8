package io.interlock.locks;

import org.jspecify.annotations.Nullable;

/** Work that runs under a lease. */
@FunctionalInterface
public interface LeaseTask<T extends @Nullable Object, X extends Exception> {

    /**
     * Does the work. Its thread is interrupted when the lease is lost; long loops call {@link Lease#checkpoint()}.
     *
     * @param lease the lease it runs under; closed by the caller, after this returns
     */
    T run(Lease lease) throws X;
}
