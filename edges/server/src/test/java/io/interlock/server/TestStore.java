package io.interlock.server;

import io.interlock.servers.MariaDbServer;
import io.interlock.servers.PostgresServer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The kinds of stores a server can stand on. */
public enum TestStore {
    MEMORY {
        @Override
        String make(Path folder) {
            return "memory:";
        }
    },
    SQLITE {
        @Override
        String make(Path folder) {
            return "sqlite:" + folder.resolve("il.db");
        }
    },
    POSTGRES {
        @Override
        String make(Path folder) {
            String schema = "server_" + COUNT.incrementAndGet();
            PostgresServer.shared().execute("CREATE SCHEMA " + schema);
            return PostgresServer.shared().url("schema=" + schema);
        }
    },
    MARIADB {
        @Override
        String make(Path folder) {
            return MariaDbServer.shared().url();
        }
    };

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Those that this machine has the programs for. */
    static Stream<TestStore> here() {
        return Stream.of(values()).filter(store -> store != MARIADB || MariaDbServer.isAvailable());
    }

    /** The URL of an empty one; a file is in {@code folder}. */
    abstract String make(Path folder);
}
