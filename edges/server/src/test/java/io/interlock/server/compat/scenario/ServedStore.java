package io.interlock.server.compat.scenario;

import io.interlock.servers.PostgresServer;
import java.nio.file.Path;

/** The stores every scenario is shown on. */
enum ServedStore {
    SQLITE {
        @Override
        String url(Path folder) {
            return "sqlite:" + folder.resolve("interlock.db");
        }
    },
    POSTGRES {
        @Override
        String url(Path folder) {
            PostgresServer.shared().execute("CREATE SCHEMA scenarios");
            return PostgresServer.shared().url("schema=scenarios");
        }
    };

    /** A new one. */
    abstract String url(Path folder);
}
