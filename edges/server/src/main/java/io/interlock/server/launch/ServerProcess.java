package io.interlock.server.launch;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.Configuration;
import io.interlock.config.EngineSetup;
import io.interlock.config.Intake;
import io.interlock.config.Intakes;
import io.interlock.config.InterlockSettings;
import io.interlock.config.JobSettings;
import io.interlock.config.Readiness;
import io.interlock.engine.EngineBuilder;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.access.KeyRing;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.metrics.InterlockMeters;
import io.interlock.run.JobName;
import io.interlock.server.EngineOperations;
import io.interlock.server.InterlockServer;
import io.interlock.server.InterlockServer.ServerParts;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.BlockingCalls;
import io.interlock.server.api.Operations;
import io.interlock.server.compat.CompatApis;
import io.interlock.server.http.ListenPolicy;
import io.interlock.server.log.OperationLog;
import io.interlock.server.operation.AccessOperations;
import io.interlock.server.session.Sessions;
import io.interlock.time.Environment;
import io.interlock.tracing.TraceExport;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
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

    /** Threads that ask the store about keys, sessions and readiness. */
    private static final int STORE_THREADS = 4;

    private final Configuration configuration;
    private final Deque<AutoCloseable> open;
    private final RunEngine engine;
    private final boolean keepsRuns;
    private final KeyRing keys;
    private final Sessions sessions;
    private final Readiness readiness;
    private final InterlockServer server;
    private final Intakes intakes;
    private final Optional<KeyRing.IssuedKey> bootstrap;

    /** Starts all of it, and pushes on {@code open} what must be closed, also if that fails. */
    private ServerProcess(Configuration configuration, Environment environment, Deque<AutoCloseable> open) {
        this.configuration = configuration;
        this.open = open;
        InterlockSettings settings = configuration.settings();
        configuration.folder().prepareFor(settings.store());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        InterlockMeters meters = opened(
                settings.metrics().tenant()
                        ? InterlockMeters.byTenant(registry, settings.metrics().maxTenants())
                        : InterlockMeters.on(registry));
        intakes = Intakes.of(configuration);
        OpenStore store =
                opened(OpenStore.openLeaseOnly(settings.store(), environment)).through(meters::around);
        configuration.requireWithin(store.capabilities());
        keepsRuns = store.keepsRuns();
        configuration.requireFor(keepsRuns);
        EngineSetup setup = opened(EngineSetup.of(configuration, environment));
        BlockingCalls blocking = opened(BlockingCalls.apart(environment, STORE_THREADS));
        keys = store.keys(blocking);
        settings.keys().forEach(given -> joined(keys.take(given.key(), given.order(), ACTOR)));
        EngineBuilder builder = (keepsRuns ? setup.onto(store.engine()) : store.engine())
                .listener(new OperationLog())
                .listener(meters.listener());
        TraceExport.start("interlock-server", InheritedEnvironment.variables())
                .ifPresent(export -> builder.tracer(opened(export).traces()));
        engine = opened(builder.build());
        meters.watch(engine, environment);
        meters.describe(settings.jobs().values().stream()
                .collect(Collectors.toMap(JobSettings::name, job -> job.api().word())));
        readiness = new Readiness(blocking, () -> obstacle(store));
        sessions = new Sessions(store.signIns(), keys, environment, blocking);
        AccessRecords records = opened(new AccessRecords(store.audit(), keys, environment, registry));
        EngineOperations all = new EngineOperations(
                engine, keys, sessions, records, environment, settings.limits(), job -> api(settings, job));
        Operations operations = keepsRuns ? all.operations() : all.ofLeases();
        if (keepsRuns) {
            CompatApis.addTo(operations, engine, environment, settings.jobs().values(), setup.triggerSecrets());
        }
        AccessOperations.addTo(operations, keys, configuration, environment.clock(), keepsRuns);
        ServerParts served =
                new ServerParts(environment, keys, readiness, operations, registry, sessions, records, settings.oidc());
        server = joined(InterlockServer.start(settings.listen(), settings.limits(), served));
        open.push(() -> joined(server.stop(LAST_ANSWERS)));
        intakes.start(
                new Intake.Context(engine, environment, (name, labels, value) -> show(registry, name, labels, value)));
        open.push(intakes);
        // Last of all: a key that is made but never shown would lock all users out. Without an admin's key no key could
        // be made; it is made only where no other host can connect meanwhile.
        bootstrap =
                ListenPolicy.isLoopback(settings.listen().host()) ? joined(keys.bootstrap(ACTOR)) : Optional.empty();
    }

    /**
     * Starts all of it, or leaves nothing behind.
     *
     * @throws io.interlock.InterlockException saying why it cannot be
     */
    static ServerProcess start(Configuration configuration, Environment environment) {
        Deque<AutoCloseable> open = new ArrayDeque<>();
        try {
            return new ServerProcess(configuration, environment, open);
        } catch (RuntimeException | Error failure) {
            letGo(open);
            throw StartFailure.onThisThread(failure, configuration.settings().listen());
        }
    }

    Configuration configuration() {
        return configuration;
    }

    RunEngine engine() {
        return engine;
    }

    boolean keepsRuns() {
        return keepsRuns;
    }

    /** An admin's key to show around: the first one or, in a store that has some already, one made for this. */
    String demoKey() {
        KeyRing.KeyOrder order = new KeyRing.KeyOrder(LockKey.DEFAULT_TENANT, Role.ADMIN, "demo", null);
        return bootstrap
                .orElseGet(() -> joined(keys.issue(order, ACTOR)))
                .secret()
                .text();
    }

    /** A code that signs in once for {@code apiKey}, for a link. */
    String signInCode(String apiKey) {
        return sessions.oneTimeCode(apiKey);
    }

    Optional<KeyRing.IssuedKey> bootstrap() {
        return bootstrap;
    }

    int port() {
        return server.port();
    }

    int managementPort() {
        return server.managementPort();
    }

    @Override
    public void close() {
        readiness.by(() -> Optional.of("this node is stopping"));
        // What they have in hand and not started is given back, to be started elsewhere.
        intakes.close();
        // Requests are answered meanwhile: remote workers, too, must be able to say that they are done.
        engine.close();
        letGo(open);
    }

    private static void show(MeterRegistry registry, String name, Map<String, String> labels, DoubleSupplier value) {
        List<Tag> tags = labels.entrySet().stream()
                .map(label -> Tag.of(label.getKey(), label.getValue()))
                .toList();
        Gauge.builder(name, value::getAsDouble).tags(tags).register(registry);
    }

    private static String api(InterlockSettings settings, JobName job) {
        JobSettings known = settings.jobs().get(job.value());
        return known == null ? CompatApi.NONE.word() : known.api().word();
    }

    private <T extends AutoCloseable> T opened(T part) {
        open.push(part);
        return part;
    }

    /** The last opened is closed first; one that fails keeps no other from it. */
    private static void letGo(Deque<AutoCloseable> open) {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception failure) {
                log.warn("a part could not be closed: {}", failure.toString());
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

    /** Why the store cannot be used; empty if it answers. Blocks. */
    private static Optional<String> obstacle(OpenStore store) {
        try {
            store.ask();
            return Optional.empty();
        } catch (StoreUnavailableException away) {
            return Optional.of("the store does not answer");
        } catch (RuntimeException failed) {
            return Optional.of("the store cannot be asked: " + failed.getClass().getSimpleName());
        }
    }
}
