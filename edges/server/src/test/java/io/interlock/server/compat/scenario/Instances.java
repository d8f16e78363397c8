package io.interlock.server.compat.scenario;

import io.interlock.server.launch.RealServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Two server processes that know nothing of each other but what their store says. All scenarios share them; they end with the JVM. */
final class Instances {

    /** Held by tests that order a sweep, which is for all tenants, and by tests that a sweep would disturb. */
    static final String SWEEPS = "sweeps";

    private static final Map<ServedStore, Instances> STARTED = new ConcurrentHashMap<>();

    private final Path folder;
    private final List<String> arguments;
    private final List<RealServer> both;

    private Instances(ServedStore store) {
        try {
            folder = Files.createTempDirectory("interlock-scenarios");
            Path file = folder.resolve("interlock.yaml");
            try (InputStream jobs = Instances.class.getResourceAsStream("jobs.yaml")) {
                Files.copy(jobs, file);
            }
            arguments = List.of("server", "--config", file.toString(), "--store", store.url(folder));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        CompletableFuture<RealServer> second = CompletableFuture.supplyAsync(() -> further("--no-worker"));
        both = List.of(further("--no-worker"), second.join());
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "scenarios-end"));
    }

    /** Those on {@code store}, started when first asked for. */
    static Instances on(ServedStore store) {
        return STARTED.computeIfAbsent(store, Instances::new);
    }

    /** The two that serve and leave the work to others. */
    List<RealServer> both() {
        return both;
    }

    /** The key that may act for any tenant. */
    String key() {
        // The instance that was first on the store has made it.
        return both.stream()
                .flatMap(server -> server.key().stream())
                .findFirst()
                .orElseThrow();
    }

    /** One more on the same store; the caller closes it. */
    RealServer further(String... options) {
        String[] all = Stream.concat(arguments.stream(), Arrays.stream(options)).toArray(String[]::new);
        return RealServer.start(folder, Map.of(), all);
    }

    private void end() {
        both.forEach(RealServer::close);
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(file -> file.delete());
        } catch (IOException | UncheckedIOException gone) {
            // It is a temporary folder.
        }
    }
}
