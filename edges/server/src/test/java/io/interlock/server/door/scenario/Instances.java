package io.interlock.server.door.scenario;

import io.interlock.server.launch.RealServer;
import io.interlock.servers.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The stores every scenario is shown on, each with two server processes that know nothing of each other but what it says. They are
 * started when first asked for, are shared by all scenarios, and end with the JVM.
 */
enum Instances {
    SQLITE {
        @Override
        String store(Path folder) {
            return "sqlite:" + folder.resolve("interlock.db");
        }
    },
    POSTGRES {
        @Override
        String store(Path folder) {
            PostgresServer.shared().execute("CREATE SCHEMA scenarios");
            return PostgresServer.shared().url("schema=scenarios");
        }
    };

    private final List<RealServer> both = new ArrayList<>();
    private String[] arguments = {};
    private Path folder = Path.of("");
    private String key = "";

    abstract String store(Path folder);

    /** The two that serve and leave the work to others. */
    synchronized List<RealServer> both() {
        if (both.isEmpty()) {
            try {
                folder = Files.createTempDirectory("interlock-scenarios");
                Path file = folder.resolve("interlock.yaml");
                try (InputStream jobs = Instances.class.getResourceAsStream("../scenarios.yaml")) {
                    Files.copy(jobs, file);
                }
                arguments = new String[] {"server", "--config", file.toString(), "--store", store(folder)};
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            Runtime.getRuntime().addShutdownHook(new Thread(this::end, "scenarios-end"));
            both.add(further("--no-worker"));
            key = both.get(0).key().orElseThrow();
            both.add(further("--no-worker"));
        }
        return List.copyOf(both);
    }

    /** The key that may act for any tenant. */
    synchronized String key() {
        both();
        return key;
    }

    /** One more on the same store; whoever asks for it ends it. */
    RealServer further(String... options) {
        String[] all =
                Stream.concat(Arrays.stream(arguments), Arrays.stream(options)).toArray(String[]::new);
        return RealServer.start(folder, Map.of(), all);
    }

    private void end() {
        both.forEach(RealServer::close);
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((one, other) -> other.compareTo(one))
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException gone) {
            // It is a temporary folder.
        }
    }
}
