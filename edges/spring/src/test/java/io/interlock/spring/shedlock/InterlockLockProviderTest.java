package io.interlock.spring.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.Locks;
import io.interlock.time.Environment;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** ShedLock's own contract tests. A lease lasts 2 s at least, so the tests of the end of a lock do. */
class InterlockLockProviderTest extends AbstractExtensibleLockProviderIntegrationTest {

    private final LeaseClient leases = LeaseClient.open("memory:", Environment.system());
    private final Locks locks = leases.locks().build();
    private final InterlockLockProvider provider = new InterlockLockProvider(leases, LockKey.DEFAULT_TENANT);

    @AfterEach
    void closeStore() {
        provider.close();
        locks.close();
        leases.close();
    }

    @Test
    @Override
    public void shouldTimeout() throws InterruptedException {
        doTestTimeout(LeaseTerms.MIN_TTL);
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return provider;
    }

    @Override
    protected void assertUnlocked(String lockName) {
        assertThat(locks.find(LockKey.of(lockName))).isEmpty();
    }

    @Override
    protected void assertLocked(String lockName) {
        assertThat(locks.find(LockKey.of(lockName))).isPresent();
    }
}
