package io.interlock.server.launch;

import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.Configuration;
import io.interlock.config.EngineSetup;
import io.interlock.config.IntakeContext;
import io.interlock.config.Intakes;
import io.interlock.config.InterlockSettings;
import io.interlock.config.JobSettings;
import io.interlock.config.Listen;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.access.IssuedKey;
import io.interlock.engine.access.KeyOrder;
import io.interlock.engine.access.KeyRing;
import io.interlock.metrics.InterlockMeters;
import io.interlock.run.JobName;
import io.interlock.server.EngineOperations;
import io.interlock.server.InterlockServer;
import io.interlock.server.LeaseStoreOperations;
import io.interlock.server.ServerParts;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.Operations;
import io.interlock.server.compat.CompatApis;
import io.interlock.server.http.ListenPolicy;
import io.interlock.server.log.OperationLog;
import io.interlock.server.operation.AccessOperations;
import io.interlock.server.session.Sessions;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store, an engine and a server that belong together. Closing takes no more work, lets what is under way end within the grace of
 * the configuration, with heartbeats, and then lets go of everything.
 */
final class ServerProcess implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ServerProcess.class);
    private static final String ACTOR = "interlock server";
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(1);

    private final Environment environment;
    private final Configuration configuration;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private @Nullable Parts parts;

    private record Parts(
            boolean keepsRuns,
            RunEngine engine,
            KeyRing keys,
            Sessions sessions,
            StoreProbe probe,
            InterlockServer server,
            Intakes intakes,
            Optional<IssuedKey> bootstrap) {}

    private ServerProcess(Configuration configuration, Environment environment) {
        this.configuration = configuration;
        this.environment = environment;
    }

    /**
     * Starts all of it, or leaves nothing behind.
     *
     * @throws io.interlock.InterlockException saying why it cannot be
     */
    static ServerProcess start(Configuration configuration, Environment environment) {
        ServerProcess process = new ServerProcess(configuration, environment);
        try {
            process.parts = process.assemble();
            return process;
        } catch (RuntimeException | Error failure) {
            process.letGo();
            throw StartFailure.onThisThread(failure, configuration.settings().listen());
        }
    }

    Configuration configuration() {
        return configuration;
    }

    RunEngine engine() {
        return parts().engine();
    }

    /** Whether its store keeps runs, or leases only. */
    boolean keepsRuns() {
        return parts().keepsRuns();
    }

    /** An admin's key to show around: the first one or, in a store that has some already, one made for this. */
    String demoKey() {
        KeyOrder order = new KeyOrder(LockKey.DEFAULT_TENANT, Role.ADMIN, "demo", null);
        return bootstrap()
                .orElseGet(() -> joined(parts().keys().issue(order, ACTOR)))
                .secret()
                .text();
    }

    /** A code that signs whoever has {@code apiKey} in once, for a link. */
    String signInCode(String apiKey) {
        return parts().sessions().oneTimeCode(apiKey);
    }

    /** The first admin's key, if there was none before. */
    Optional<IssuedKey> bootstrap() {
        return parts().bootstrap();
    }

    int port() {
        return parts().server().port();
    }

    int managementPort() {
        return parts().server().managementPort();
    }

    @Override
    public void close() {
        Parts running = parts;
        if (running != null) {
            running.probe().stopping();
            // What they have in hand and not started is given back, to be started elsewhere.
            running.intakes().close();
            // Requests are answered meanwhile: remote workers, too, must be able to say that they are done.
            running.engine().close();
        }
        letGo();
    }

    private Parts assemble() {
        InterlockSettings settings = configuration.settings();
        configuration.folder().prepareFor(settings.store());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        InterlockMeters meters = opened(
                settings.metrics().tenant()
                        ? InterlockMeters.byTenant(registry, settings.metrics().maxTenants())
                        : InterlockMeters.on(registry));
        Intakes intakes = Intakes.of(configuration);
        OpenStore store =
                opened(OpenStore.openLeaseOnly(settings.store(), environment)).through(meters::around);
        configuration.requireWithin(store.capabilities());
        configuration.requireFor(store.keepsRuns());
        EngineSetup setup = opened(EngineSetup.of(configuration, environment));
        BlockingPool blocking = opened(new BlockingPool(environment));
        KeyRing keys = store.keys(blocking);
        settings.keys().forEach(given -> joined(keys.take(given.key(), given.order(), ACTOR)));
        RunEngine engine = opened((store.keepsRuns() ? setup.onto(store.engine()) : store.engine())
                .listener(new OperationLog())
                .listener(meters.listener())
                .build());
        meters.watch(engine, environment);
        meters.describe(settings.jobs().values().stream()
                .collect(Collectors.toMap(JobSettings::name, job -> job.api().word())));
        StoreProbe probe = new StoreProbe(store, blocking);
        Sessions sessions = new Sessions(environment);
        AccessRecords records = opened(AccessRecords.of(store.audit(), keys, environment, registry));
        Operations operations = store.keepsRuns()
                ? withRuns(engine, keys, sessions, records, setup)
                : withoutRuns(engine, keys, sessions, records);
        ServerParts served = new ServerParts(environment, keys, probe, operations, registry, sessions, records);
        InterlockServer server = joined(InterlockServer.start(settings.listen(), settings.limits(), served));
        open.push(() -> joined(server.stop(LAST_ANSWERS)));
        intakes.start(new IntakeContext(engine, environment, new MeterGauges(registry)));
        open.push(intakes);
        // Last of all: a key that is made but never shown would lock everybody out.
        Optional<IssuedKey> bootstrap = bootstrap(keys, settings.listen());
        return new Parts(store.keepsRuns(), engine, keys, sessions, probe, server, intakes, bootstrap);
    }

    private Operations withRuns(
            RunEngine engine, KeyRing keys, Sessions sessions, AccessRecords records, EngineSetup setup) {
        InterlockSettings settings = configuration.settings();
        Operations operations = new EngineOperations(
                        engine, keys, sessions, records, environment, settings.limits(), this::api)
                .operations();
        CompatApis.of(settings.jobs().values(), setup.triggerSecrets()).addTo(operations, engine, environment);
        AccessOperations.addTo(operations, keys, configuration, environment.clock());
        return operations;
    }

    private Operations withoutRuns(RunEngine engine, KeyRing keys, Sessions sessions, AccessRecords records) {
        Operations operations = new LeaseStoreOperations(engine, keys, sessions, records, environment).operations();
        AccessOperations.addLooksTo(operations, keys, configuration, environment.clock());
        return operations;
    }

    private String api(JobName job) {
        JobSettings known = configuration.settings().jobs().get(job.value());
        return known == null ? CompatApi.NONE.word() : known.api().word();
    }

    /** Without any admin's key nobody could make one. It is made only where nobody else can come in meanwhile. */
    private static Optional<IssuedKey> bootstrap(KeyRing keys, Listen listen) {
        return ListenPolicy.isLoopback(listen.host()) ? joined(keys.bootstrap(ACTOR)) : Optional.empty();
    }

    private Parts parts() {
        Parts running = parts;
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running;
    }

    private <T extends AutoCloseable> T opened(T part) {
        open.push(part);
        return part;
    }

    /** The last opened is closed first; one that fails keeps no other from it. */
    private void letGo() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception failure) {
                log.warn("could not be closed: {}", failure.toString());
            }
        }
    }

    private static <T> T joined(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException told ? told : failure;
        }
    }
}
