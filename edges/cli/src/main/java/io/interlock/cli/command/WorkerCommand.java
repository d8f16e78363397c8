package io.interlock.cli.command;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.config.Configuration;
import io.interlock.config.EngineSetup;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code interlock worker}. */
@Command(
        name = "worker",
        description = "Does the work of configured jobs, taking it from a store, until it is told to stop (TERM, INT).",
        footer = {
            "",
            "What is under way when it is told to stop is given time to end (worker.grace).",
            "",
            "Example:",
            "  interlock worker --config interlock.yaml --store postgresql://interlock@db/locks"
        })
public final class WorkerCommand implements Callable<Integer> {

    private final Session session;

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    /** The command. */
    public WorkerCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        StopWish stop = StopWish.ofThisProcess();
        Configuration configuration = options.read(session);
        String url = configuration.settings().store();
        configuration.folder().prepareFor(url);
        try (OpenStore store = OpenStore.at(url, session.environment());
                EngineSetup setup = EngineSetup.of(configuration, session.environment());
                RunEngine engine = setup.onto(store.engine()).build()) {
            configuration.requireWithin(store.capabilities());
            WorkerStatus status = engine.workers();
            if (!status.claiming()) {
                throw new Failure(
                        ExitCode.CONFIGURATION,
                        "there is nothing to do: no job of the configuration is done here",
                        "define jobs with 'run:' in the file that --config names");
            }
            session.console()
                    .say("takes work from " + store.capabilities().store() + " · " + status.slots() + " slots, "
                            + setup.jobs().all().size() + " jobs");
            stop.await();
            session.console().say("takes no more work; waiting for what is under way");
        }
        return 0;
    }
}
