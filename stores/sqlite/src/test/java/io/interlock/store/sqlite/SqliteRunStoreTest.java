package io.interlock.store.sqlite;

import io.interlock.tck.RunStoreContract;
import io.interlock.tck.RunStoreHarness;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteRunStoreTest extends RunStoreContract {

    @TempDir
    static Path folder;

    @Override
    protected RunStoreHarness createHarness() {
        return new SqliteHarness(folder.resolve("runs.db"));
    }
}
