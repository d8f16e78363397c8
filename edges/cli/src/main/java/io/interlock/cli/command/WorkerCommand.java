package io.interlock.cli.command;

import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.command.ConfigCommand.ConfigOptions;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.ServerWorker;
import io.interlock.config.Configuration;
import io.interlock.config.ConfigurationException;
import io.interlock.config.EngineSetup;
import io.interlock.config.Given;
import io.interlock.config.Intake;
import io.interlock.config.Intakes;
import io.interlock.config.InterlockSettings;
import io.interlock.engine.EngineBuilder;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerBuilder;
import io.interlock.engine.WorkerEngine;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.command.ProcessSignal;
import io.interlock.tracing.TraceExport;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code interlock worker}. Its own methods name no class of {@link WorkerProcess}: help and completion look at all methods of a
 * command, and what does the work has classes that are on the class path of a worker only.
 */
@Command(
        description = "Does the runs of configured jobs, from a store or a server, until it gets TERM or INT.",
        footer = {
            "",
            "Runs under way at that moment get time to end (shutdown.grace).",
            "Through a server it does the runs of the API key's tenant, and needs a key of",
            "role worker. With --port it serves /health/live, /health/ready and /metrics,",
            "without a key.",
            "",
            "Examples:",
            "  interlock worker --config interlock.yaml --store sqlite:/srv/interlock.db",
            "  interlock worker --config interlock.yaml --server https://locks.example"
        })
public final class WorkerCommand extends CliCommand.Targeted {

    private static final String LOOPBACK = "127.0.0.1";

    @Option(names = "--config", paramLabel = "FILE", description = "The jobs: a YAML file, such as interlock.yaml")
    private @Nullable Path file;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Where health and metrics are served, together with --port (default: " + LOOPBACK + ")")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Serve health and metrics at this port; 0 takes any free one (default: nowhere)")
    private @Nullable Integer port;

    @Override
    public Integer call() {
        new WorkerProcess(session(), target()).work(file, host, port);
        return 0;
    }

    /** What it does. */
    private static final class WorkerProcess {

        private static final int LAST_PORT = 65_535;

        private final CommandContext session;
        private final TargetOptions target;
        private final CountDownLatch stop = new CountDownLatch(1);

        WorkerProcess(CommandContext session, TargetOptions target) {
            this.session = session;
            this.target = target;
        }

        void work(@Nullable Path file, @Nullable String host, @Nullable Integer port) {
            ProcessSignal.handle("TERM", stop::countDown);
            ProcessSignal.handle("INT", stop::countDown);
            try {
                work(Configuration.read(new Given(target.storeFlag(), session.variables(), file)), host, port);
            } catch (ConfigurationException wrong) {
                throw ConfigOptions.refused(wrong, session);
            }
        }

        private void work(Configuration configuration, @Nullable String host, @Nullable Integer port) {
            try (EngineSetup setup = EngineSetup.of(configuration, session.environment())) {
                boolean enabled = configuration.settings().worker().enabled();
                if (!enabled
                        || setup.jobs().all().stream()
                                .noneMatch(job -> job.work().isPresent())) {
                    throw new Failure(
                            ExitCode.CONFIGURATION,
                            "there is nothing to do: "
                                    + (enabled
                                            ? "no job of the configuration is done here"
                                            : "worker.enabled is false"),
                            "define jobs with 'run:' in the file that --config names");
                }
                Optional<HealthServer> health = openHealth(host, port);
                Optional<TraceExport> traces = TraceExport.start("interlock-worker", InheritedEnvironment.variables());
                try {
                    if (target.isServer(session)) {
                        workForServer(setup, configuration.settings().worker(), health, traces);
                    } else {
                        workOnStore(setup, configuration, health, traces);
                    }
                } finally {
                    traces.ifPresent(TraceExport::close);
                    health.ifPresent(HealthServer::close);
                }
            }
        }

        private Optional<HealthServer> openHealth(@Nullable String host, @Nullable Integer port) {
            if (port == null) {
                if (host != null) {
                    throw Failure.usage("--host needs --port, which is missing", "add --port N, or leave both out");
                }
                return Optional.empty();
            }
            if (port < 0 || port > LAST_PORT) {
                throw Failure.usage(
                        "--port '" + port + "' is none", "name one from 1 to " + LAST_PORT + ", or 0 for any free one");
            }
            HealthServer health = HealthServer.open(host == null ? LOOPBACK : host, port, session.environment());
            session.console().say("health is at " + health + "/health/ready, metrics are at " + health + "/metrics");
            return Optional.of(health);
        }

        private void workOnStore(
                EngineSetup setup,
                Configuration configuration,
                Optional<HealthServer> health,
                Optional<TraceExport> traces) {
            String url = configuration.settings().store();
            configuration.folder().prepareFor(url);
            Intakes intakes = Intakes.of(configuration);
            OpenStore opened = OpenStore.at(url, session.environment());
            try (OpenStore store = health.map(shown -> shown.onto(opened)).orElse(opened)) {
                // An engine claims work as soon as it is built.
                configuration.requireWithin(store.capabilities());
                work(setup, store, intakes, health, traces);
            }
        }

        private void work(
                EngineSetup setup,
                OpenStore store,
                Intakes intakes,
                Optional<HealthServer> health,
                Optional<TraceExport> traces) {
            try (RunEngine engine =
                            watched(setup.onto(store.engine()), health, traces).build();
                    intakes) {
                health.ifPresent(shown -> shown.show(engine, store::ask));
                announce(
                        store.capabilities().store(),
                        engine.workers(),
                        setup.jobs().all().size());
                intakes.start(new Intake.Context(engine, session.environment(), Intake.Context.Gauges.NONE));
                awaitStop(health);
            }
        }

        private static EngineBuilder watched(
                EngineBuilder builder, Optional<HealthServer> health, Optional<TraceExport> traces) {
            health.ifPresent(shown -> builder.listener(shown.listener()));
            traces.ifPresent(export -> builder.tracer(export.traces()));
            return builder;
        }

        /** Schedules and notifications are the server's. */
        private void workForServer(
                EngineSetup setup,
                InterlockSettings.Worker settings,
                Optional<HealthServer> health,
                Optional<TraceExport> traces) {
            ServerWorker worker = target.client(session, setup.jobs()).worker();
            int jobs = jobsOf(setup, worker);
            WorkerBuilder builder =
                    worker.engine(setup.jobs()).slots(settings.slots()).drainTime(settings.grace());
            health.ifPresent(shown -> builder.listener(shown.listener()));
            traces.ifPresent(export -> builder.tracer(export.traces()));
            try (WorkerEngine engine = builder.build()) {
                health.ifPresent(shown -> shown.showWork(engine, worker::knownJobs));
                announce(worker.toString(), engine.workers(), jobs);
                awaitStop(health);
                worker.close();
            }
        }

        /** How many jobs there can be work of; warns of the others. The first request to the server, so a wrong key fails here. */
        private int jobsOf(EngineSetup setup, ServerWorker worker) {
            Set<String> known = worker.knownJobs().stream()
                    .map(job -> job.shown("name"))
                    .collect(Collectors.toCollection(TreeSet::new));
            List<String> mine = setup.jobs().all().stream()
                    .filter(job -> job.work().isPresent())
                    .map(job -> job.name().toString())
                    .toList();
            List<String> doable = mine.stream().filter(known::contains).toList();
            if (doable.isEmpty()) {
                throw new Failure(
                        ExitCode.CONFIGURATION,
                        "the server at " + worker + " knows none of the jobs that are done here: "
                                + String.join(", ", mine),
                        known.isEmpty()
                                ? "define them in the server's configuration, with 'run: { worker: remote }'"
                                : "it knows: " + String.join(", ", known));
            }
            mine.stream()
                    .filter(job -> !known.contains(job))
                    .forEach(job ->
                            session.console().say("the server knows no job '" + job + "'; it cannot be started there"));
            return doable.size();
        }

        private void announce(String source, WorkerEngine.Status status, int jobs) {
            session.console().say("takes work from " + source + " · " + status.slots() + " slots, " + jobs + " jobs");
        }

        private void awaitStop(Optional<HealthServer> health) {
            while (true) {
                try {
                    stop.await();
                    break;
                } catch (InterruptedException ignored) {
                    // Only a signal ends it.
                }
            }
            health.ifPresent(HealthServer::stopping);
            session.console().say("takes no more work; waiting for what is under way");
        }
    }
}
