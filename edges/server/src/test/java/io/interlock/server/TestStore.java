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
            return "sqlite:" + folder.resolve("server" + COUNT.incrementAndGet() + ".db");
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
            return MariaDbServer.shared().url("prefix=server" + COUNT.incrementAndGet() + "_");
        }
    };

    private static final boolean PROVE = Boolean.getBoolean("interlock.prove");
    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Those that this machine has the programs for. */
    private static Stream<TestStore> here() {
        return Stream.of(values()).filter(store -> store != MARIADB || MariaDbServer.isAvailable());
    }

    /** All of {@link #here} for {@code ./interlock prove}; otherwise only {@link #MEMORY}, because each store passes the contract. */
    static Stream<TestStore> proven() {
        return PROVE ? here() : Stream.of(MEMORY);
    }

    /** The rest of {@link #here}. */
    static Stream<TestStore> others() {
        return PROVE ? Stream.empty() : here().filter(store -> store != MEMORY);
    }

    /** The URL of an empty one; a file is in {@code folder}. */
    abstract String make(Path folder);
}
