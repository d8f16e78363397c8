package io.interlock.cli.command;

import io.interlock.cli.health.HealthServer;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.config.Configuration;
import io.interlock.config.EngineSetup;
import io.interlock.config.Given;
import io.interlock.config.IntakeContext;
import io.interlock.config.Intakes;
import io.interlock.engine.EngineBuilder;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerStatus;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code interlock worker}. */
@Command(
        name = "worker",
        description = "Does the work of configured jobs, taking it from a store or a server, until it is told to stop"
                + " (TERM, INT).",
        footer = {
            "",
            "What is under way when it is told to stop is given time (shutdown.grace).",
            "Through a server it does the runs of the API key's tenant, and needs a key of",
            "role worker. With --port it says at /health/live, /health/ready and /metrics",
            "how it is, without asking for a key.",
            "",
            "Examples:",
            "  interlock worker --config interlock.yaml --store sqlite:/srv/interlock.db",
            "  interlock worker --config interlock.yaml --server https://locks.example"
        })
public final class WorkerCommand implements Callable<Integer> {

    private final CommandContext session;

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Option(names = "--config", paramLabel = "FILE", description = "The jobs: a YAML file, such as interlock.yaml")
    private @Nullable Path file;

    @Mixin
    private HealthOptions options = new HealthOptions();

    /** The command. */
    public WorkerCommand(CommandContext session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        StopOnSignal stop = StopOnSignal.ofThisProcess();
        Configuration configuration =
                ConfigOptions.read(new Given(target.storeFlag(), session.variables(), file), session);
        try (EngineSetup setup = EngineSetup.of(configuration, session.environment())) {
            boolean willing = configuration.settings().worker().enabled();
            if (!willing
                    || setup.jobs().all().stream().noneMatch(job -> job.work().isPresent())) {
                throw new Failure(
                        ExitCode.CONFIGURATION,
                        "there is nothing to do: "
                                + (willing ? "no job of the configuration is done here" : "worker.enabled is false"),
                        "define jobs with 'run:' in the file that --config names");
            }
            Optional<HealthServer> health = options.open(session);
            try {
                if (target.isServer(session)) {
                    new ServerWorkerRun(session, setup, health).until(stop, target.worker(session), configuration);
                } else {
                    workOnStore(setup, configuration, health, stop);
                }
            } finally {
                health.ifPresent(HealthServer::close);
            }
        }
        return 0;
    }

    private void workOnStore(
            EngineSetup setup, Configuration configuration, Optional<HealthServer> health, StopOnSignal stop) {
        String url = configuration.settings().store();
        configuration.folder().prepareFor(url);
        OpenStore opened = OpenStore.at(url, session.environment());
        try (OpenStore store = health.map(shown -> shown.onto(opened)).orElse(opened);
                RunEngine engine = counted(setup.onto(store.engine()), health).build();
                Intakes intakes = Intakes.of(configuration)) {
            configuration.requireWithin(store.capabilities());
            health.ifPresent(shown -> shown.show(engine, store::ask));
            WorkerStatus status = engine.workers();
            session.console()
                    .say("takes work from " + store.capabilities().store() + " · " + status.slots() + " slots, "
                            + setup.jobs().all().size() + " jobs");
            intakes.start(new IntakeContext(engine, session.environment(), IntakeContext.Gauges.NONE));
            stop.await();
            health.ifPresent(HealthServer::stopping);
            intakes.close();
            session.console().say("takes no more work; waiting for what is under way");
        }
    }

    private static EngineBuilder counted(EngineBuilder builder, Optional<HealthServer> health) {
        health.ifPresent(shown -> builder.listener(shown.listener()));
        return builder;
    }
}
