package io.interlock.spring;

import io.interlock.LockKey;

/**
 * What all {@link ExclusiveRun} methods of an application have in common.
 *
 * @param tenant the tenant of keys that name none
 * @param insideTransactions whether such a method may be called while a transaction of its caller is open. That transaction commits
 *     after the key is free again, so the next holder may not see its writes; refused by default
 */
public record ExclusiveRunSettings(String tenant, boolean insideTransactions) {

    /** Tenant {@value LockKey#DEFAULT_TENANT}, not inside of transactions. */
    public static ExclusiveRunSettings defaults() {
        return new ExclusiveRunSettings(LockKey.DEFAULT_TENANT, false);
    }
}
