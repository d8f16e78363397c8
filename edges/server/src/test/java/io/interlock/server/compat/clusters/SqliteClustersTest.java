package io.interlock.server.compat.clusters;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The same on a file. */
class SqliteClustersTest extends ClustersTest {

    @TempDir
    static Path folder;

    @Override
    String store() {
        return "sqlite:" + folder.resolve("clusters.db");
    }
}
