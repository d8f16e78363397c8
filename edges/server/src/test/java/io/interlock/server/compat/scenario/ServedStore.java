package io.interlock.server.compat.scenario;

import io.interlock.servers.PostgresServer;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The stores that scenarios are shown on. */
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

    /** Both for {@code ./interlock prove}; otherwise only {@link #POSTGRES}, because each store passes the contract, and one class is on both. */
    static Stream<ServedStore> here() {
        return Boolean.getBoolean("interlock.prove") ? Stream.of(values()) : Stream.of(POSTGRES);
    }

    /** A new one. */
    abstract String url(Path folder);
}
