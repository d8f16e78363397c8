package io.interlock.server.launch;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.Configuration;
import io.interlock.config.EngineSetup;
import io.interlock.config.IntakeContext;
import io.interlock.config.Intakes;
import io.interlock.config.InterlockSettings;
import io.interlock.config.JobSettings;
import io.interlock.config.Listen;
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
import io.interlock.server.api.Operations;
import io.interlock.server.compat.CompatApis;
import io.interlock.server.http.Health.ReadyProbe;
import io.interlock.server.http.Health.ReadyProbe.Readiness;
import io.interlock.server.http.ListenPolicy;
import io.interlock.server.log.OperationLog;
import io.interlock.server.operation.AccessOperations;
import io.interlock.server.problem.Problems;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
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
            Optional<KeyRing.IssuedKey> bootstrap) {}

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
        KeyRing.KeyOrder order = new KeyRing.KeyOrder(LockKey.DEFAULT_TENANT, Role.ADMIN, "demo", null);
        return bootstrap()
                .orElseGet(() -> joined(parts().keys().issue(order, ACTOR)))
                .secret()
                .text();
    }

    /** A code that signs in once for {@code apiKey}, for a link. */
    String signInCode(String apiKey) {
        return parts().sessions().oneTimeCode(apiKey);
    }

    Optional<KeyRing.IssuedKey> bootstrap() {
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
        EngineBuilder builder = (store.keepsRuns() ? setup.onto(store.engine()) : store.engine())
                .listener(new OperationLog())
                .listener(meters.listener());
        TraceExport.start("interlock-server", InheritedEnvironment.variables())
                .ifPresent(export -> builder.tracer(opened(export).traces()));
        RunEngine engine = opened(builder.build());
        meters.watch(engine, environment);
        meters.describe(settings.jobs().values().stream()
                .collect(Collectors.toMap(JobSettings::name, job -> job.api().word())));
        StoreProbe probe = new StoreProbe(store, blocking);
        Sessions sessions = new Sessions(store.signIns(), keys, environment, blocking);
        AccessRecords records = opened(AccessRecords.of(store.audit(), keys, environment, registry));
        EngineOperations all =
                new EngineOperations(engine, keys, sessions, records, environment, settings.limits(), this::api);
        Operations operations = operations(all, store.keepsRuns(), setup);
        ServerParts served =
                new ServerParts(environment, keys, probe, operations, registry, sessions, records, settings.oidc());
        InterlockServer server = joined(InterlockServer.start(settings.listen(), settings.limits(), served));
        open.push(() -> joined(server.stop(LAST_ANSWERS)));
        intakes.start(new IntakeContext(engine, environment, new MeterGauges(registry)));
        open.push(intakes);
        // Last of all: a key that is made but never shown would lock all users out.
        Optional<KeyRing.IssuedKey> bootstrap = bootstrap(keys, settings.listen());
        return new Parts(store.keepsRuns(), engine, keys, sessions, probe, server, intakes, bootstrap);
    }

    private Operations operations(EngineOperations all, boolean keepsRuns, EngineSetup setup) {
        if (!keepsRuns) {
            Operations operations = all.ofLeases();
            AccessOperations.addLooksTo(operations, all.keys(), configuration, environment.clock());
            return operations;
        }
        Operations operations = all.operations();
        CompatApis.of(configuration.settings().jobs().values(), setup.triggerSecrets())
                .addTo(operations, all.engine(), environment);
        AccessOperations.addTo(operations, all.keys(), configuration, environment.clock());
        return operations;
    }

    private String api(JobName job) {
        JobSettings known = configuration.settings().jobs().get(job.value());
        return known == null ? CompatApi.NONE.word() : known.api().word();
    }

    /** Without an admin's key no key could be made. It is made only where no other host can connect meanwhile. */
    private static Optional<KeyRing.IssuedKey> bootstrap(KeyRing keys, Listen listen) {
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

    /**
     * Where the store is asked about keys and readiness: a few threads that end when idle, and a line that is not endless. When it is full,
     * a task is refused with a problem; when the pool is closed, as by any executor.
     */
    static final class BlockingPool implements Executor, AutoCloseable {

        private static final int THREADS = 4;
        private static final int LINE = 1_000;
        private static final long IDLE_SECONDS = 20;

        private final ThreadPoolExecutor pool;

        BlockingPool(Environment environment) {
            pool = new ThreadPoolExecutor(
                    THREADS,
                    THREADS,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(LINE),
                    environment.threads("interlock-access"));
            pool.allowCoreThreadTimeOut(true);
        }

        @Override
        public void execute(Runnable task) {
            try {
                pool.execute(task);
            } catch (RejectedExecutionException refused) {
                throw pool.isShutdown() ? refused : Problems.overloaded();
            }
        }

        @Override
        public void close() {
            pool.shutdown();
        }
    }

    /** Ready while the store answers and the server is not stopping. A store that hangs is asked once, however many requests wait. */
    static final class StoreProbe implements ReadyProbe {

        private final OpenStore store;
        private final Executor blocking;
        private final AtomicReference<@Nullable CompletableFuture<Readiness>> asked = new AtomicReference<>();
        private volatile boolean stopping;

        StoreProbe(OpenStore store, Executor blocking) {
            this.store = store;
            this.blocking = blocking;
        }

        void stopping() {
            stopping = true;
        }

        @Override
        public CompletionStage<Readiness> ask() {
            if (stopping) {
                return CompletableFuture.completedFuture(Readiness.notReady("this node is stopping"));
            }
            CompletableFuture<Readiness> mine = new CompletableFuture<>();
            CompletableFuture<Readiness> before = asked.compareAndExchange(null, mine);
            if (before != null) {
                return before;
            }
            try {
                blocking.execute(() -> {
                    Readiness answer = look();
                    asked.set(null);
                    mine.complete(answer);
                });
            } catch (RuntimeException busy) {
                asked.set(null);
                mine.complete(Readiness.notReady("this node has too much to do"));
            }
            return mine;
        }

        private Readiness look() {
            try {
                store.ask();
                return Readiness.yes();
            } catch (StoreUnavailableException away) {
                return Readiness.notReady("the store does not answer");
            } catch (RuntimeException failed) {
                return Readiness.notReady(
                        "the store cannot be asked: " + failed.getClass().getSimpleName());
            }
        }
    }

    /** Shows the numbers of intakes among the meters. */
    record MeterGauges(MeterRegistry registry) implements IntakeContext.Gauges {

        @Override
        public void show(String name, Map<String, String> labels, DoubleSupplier value) {
            List<Tag> tags = labels.entrySet().stream()
                    .map(label -> Tag.of(label.getKey(), label.getValue()))
                    .toList();
            Gauge.builder(name, value::getAsDouble).tags(tags).register(registry);
        }
    }
}
