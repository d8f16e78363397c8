package io.interlock.server.compat.ingestion;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The same on a file. */
class SqliteIngestionTest extends IngestionTest {

    @TempDir
    static Path folder;

    @Override
    String store() {
        return "sqlite:" + folder.resolve("ingestion.db");
    }
}
