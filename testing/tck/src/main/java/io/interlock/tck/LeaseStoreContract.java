package io.interlock.tck;

/**
 * The contract of every store. The author of a store extends this class and supplies a harness:
 *
 * <pre>{@code
 * class MyStoreTest extends LeaseStoreContract {
 *     @Override
 *     protected StoreHarness createHarness() {
 *         return new MyHarness();
 *     }
 * }
 * }</pre>
 *
 * <p>After every test {@link StoreAudit} checks the history of all clients. Leases of 30 s must be allowed.
 */
public abstract class LeaseStoreContract extends LockLibraryContract
        implements AcquireContract,
                RenewContract,
                ReleaseContract,
                ExpiryContract,
                EvictContract,
                TokenContract,
                RecoveryContract,
                ListingContract,
                BatchContract,
                LostAnswerContract,
                WakeUpContract,
                ContentionContract,
                ClockContract,
                CrashContract,
                OutageContract,
                TakeoverContract {}
