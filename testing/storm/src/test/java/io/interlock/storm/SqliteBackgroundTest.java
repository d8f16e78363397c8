package io.interlock.storm;

import io.interlock.engine.BackgroundContract;
import io.interlock.store.sqlite.SqliteHarness;
import io.interlock.tck.RunStoreHarness;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteBackgroundTest extends BackgroundContract {

    @TempDir
    static Path folder;

    @Override
    protected RunStoreHarness createHarness() {
        return new SqliteHarness(folder.resolve("store.db"));
    }
}
