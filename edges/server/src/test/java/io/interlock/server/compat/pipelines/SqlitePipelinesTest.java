package io.interlock.server.compat.pipelines;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The same on a file. */
class SqlitePipelinesTest extends PipelinesTest {

    @TempDir
    static Path folder;

    @Override
    String store() {
        return "sqlite:" + folder.resolve("pipelines.db");
    }
}
