package io.interlock.cli.command;

import io.interlock.cli.health.HealthServer;
import io.interlock.cli.remote.ServerWorker;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.config.Configuration;
import io.interlock.config.EngineSetup;
import io.interlock.config.InterlockSettings;
import io.interlock.engine.Job;
import io.interlock.engine.WorkerBuilder;
import io.interlock.engine.WorkerEngine;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The life of a worker that takes its work from a server. Schedules and notifications are the server's, not its. */
final class ServerWorkerRun {

    private final CommandContext session;
    private final EngineSetup setup;
    private final Optional<HealthServer> health;

    ServerWorkerRun(CommandContext session, EngineSetup setup, Optional<HealthServer> health) {
        this.session = session;
        this.setup = setup;
        this.health = health;
    }

    /** Works until {@code stop}. */
    void until(StopOnSignal stop, ServerWorker worker, Configuration configuration) {
        List<String> doable = jobsOf(worker);
        InterlockSettings.Worker settings = configuration.settings().worker();
        WorkerBuilder builder =
                worker.engine(setup.jobs()).slots(settings.slots()).drainTime(settings.grace());
        health.ifPresent(shown -> builder.listener(shown.listener()));
        try (WorkerEngine engine = builder.build()) {
            health.ifPresent(shown -> shown.showWork(engine, worker::knownJobs));
            session.console()
                    .say("takes work from " + worker + " · " + engine.workers().slots() + " slots, " + doable.size()
                            + " jobs");
            stop.await();
            health.ifPresent(HealthServer::stopping);
            session.console().say("takes no more work; waiting for what is under way");
            worker.close();
        }
    }

    /** The jobs there can be work of; says which there cannot. The first question to the server, so a wrong key is found out here. */
    private List<String> jobsOf(ServerWorker worker) {
        Set<String> known = worker.knownJobs().stream()
                .map(job -> job.shown("name"))
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> mine = setup.jobs().all().stream()
                .filter(job -> job.work().isPresent())
                .map(Job::name)
                .map(Object::toString)
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
                        session.console().say("the server knows no job '" + job + "'; nobody can start it there"));
        return doable;
    }
}
