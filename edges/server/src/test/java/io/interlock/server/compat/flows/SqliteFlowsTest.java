package io.interlock.server.compat.flows;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The same on a file. */
class SqliteFlowsTest extends FlowsTest {

    @TempDir
    static Path folder;

    @Override
    String store() {
        return "sqlite:" + folder.resolve("flows.db");
    }
}
