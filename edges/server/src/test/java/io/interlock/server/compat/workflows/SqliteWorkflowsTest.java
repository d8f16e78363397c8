package io.interlock.server.compat.workflows;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The same on a file. */
class SqliteWorkflowsTest extends WorkflowsTest {

    @TempDir
    static Path folder;

    @Override
    String store() {
        return "sqlite:" + folder.resolve("workflows.db");
    }
}
