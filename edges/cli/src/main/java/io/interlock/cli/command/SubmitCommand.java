package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.backend.Backend.RunApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code interlock runs submit JOB}. */
@Command(
        name = "submit",
        description = "Asks for a run of a job, which a worker does.",
        footer = {
            "",
            "On a store, what the job's configuration says (lease, retries, policy) is",
            "known only with --config.",
            "",
            "Example:",
            "  interlock runs submit close --key ledger/4711 --parameters '{\"month\":11}'"
        })
public final class SubmitCommand extends Answering {

    @Parameters(paramLabel = "JOB", description = "The job")
    private String job = "";

    @Option(names = "--key", paramLabel = "KEY", description = "What it is exclusive under (default: the job's name)")
    private @Nullable String key;

    @Option(
            names = "--on-conflict",
            paramLabel = "POLICY",
            completionCandidates = OptionValues.Policy.class,
            description = "${COMPLETION-CANDIDATES}")
    private @Nullable String onConflict;

    @Option(names = "--parameters", paramLabel = "JSON", description = "For the work")
    private String parameters = "{}";

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why")
    private @Nullable String reason;

    @Option(names = "--idempotency-key", paramLabel = "TEXT", description = "The same again is the same run")
    private @Nullable String idempotencyKey;

    @Option(
            names = "--priority",
            paramLabel = "N",
            description = "From -100 to 100, the higher goes first (default: 0)")
    private int priority;

    @Option(names = "--config", paramLabel = "FILE", description = "The configuration that defines the job")
    private @Nullable Path config;

    /** The command. */
    public SubmitCommand(CommandContext session) {
        super(session);
    }

    @Override
    Jobs jobs() {
        if (config == null) {
            return Jobs.of(Job.named(job).build());
        }
        return Jobs.of(ConfigOptions.jobs(session(), config).stream()
                .map(JobSettings::job)
                .toList());
    }

    @Override
    int carryOut(Backend backend) {
        String policy = onConflict == null ? null : new OptionValues.Policy().choose("--on-conflict", onConflict);
        RunApi.Wish wish =
                new RunApi.Wish(key == null ? job : key, job, policy, parameters, reason, idempotencyKey, priority);
        answer(backend.runs().submit(wish), "id", "state", "position");
        return 0;
    }
}
