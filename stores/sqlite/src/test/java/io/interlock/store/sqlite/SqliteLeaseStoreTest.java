package io.interlock.store.sqlite;

import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteLeaseStoreTest extends LeaseStoreContract {

    @TempDir
    static Path folder;

    @Override
    protected StoreHarness createHarness() {
        return new SqliteHarness(folder.resolve("leases.db"));
    }
}
