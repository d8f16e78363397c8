package io.interlock.spring;

import io.interlock.locks.Lease;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls a transaction back that would commit under a lost lease of an {@link ExclusiveRun} method. Register it with the transaction
 * manager; Spring Boot does that with beans of this type. It does not replace the check of the token in the database, because a
 * thread may be stopped between this check and the commit.
 */
public final class LostLeaseRollback implements TransactionExecutionListener {

    /** A listener for any number of transaction managers. */
    public LostLeaseRollback() {}

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        CurrentLease.get().ifPresent(Lease::checkpoint);
    }
}
