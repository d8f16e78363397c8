package io.interlock.cli.command;

import io.interlock.DurationText;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.command.CliCommand.Listing;
import io.interlock.cli.command.ConfigCommand.ConfigOptions;
import io.interlock.cli.text.Table;
import io.interlock.config.JobSettings;
import io.interlock.config.Work;
import io.interlock.service.AdminFacts;
import io.interlock.service.Facts;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code interlock jobs ls}. */
@Command(
        description = "Lists the jobs of a server, or of a configuration file.",
        footer = {"", "Example:", "  interlock jobs ls --config interlock.yaml"})
public final class JobsCommand extends Listing {

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The configuration that defines them; a store knows none")
    private @Nullable Path config;

    @Override
    public Integer call() throws InterruptedException {
        // What a file says needs no store.
        return config == null
                ? super.call()
                : list(ConfigOptions.jobs(session(), config).stream()
                        .map(this::json)
                        .toList());
    }

    @Override
    List<Facts> items(Backend backend) {
        return backend.requests().get("/jobs").list("items");
    }

    private Facts json(JobSettings settings) {
        Instant now = session().environment().clock().instant();
        return AdminFacts.job(settings.job(), settings.api().word(), !(settings.work() instanceof Work.Remote))
                .and(
                        "schedules",
                        settings.clock().stream()
                                .map(each -> AdminFacts.schedule(each, now))
                                .toList());
    }

    @Override
    Table columns() {
        return new Table()
                .of("name", "api")
                .of("on-conflict", job -> job.shown("onConflict"))
                .of("lease", job -> span(job, "lease"))
                .of("attempts", job -> job.shown("maxAttempts"))
                .of("max-runtime", job -> span(job, "maxRuntime"))
                .of("schedule", job -> schedules(job, "cron"))
                .of("zone", job -> schedules(job, "zone"))
                .of("next-start", job -> schedules(job, "nextStart"));
    }

    @Override
    String none() {
        return "there are no jobs; the configuration defines them";
    }

    private static String schedules(Facts job, String field) {
        return job.list("schedules").stream().map(each -> each.shown(field)).collect(Collectors.joining(", "));
    }

    private static String span(Facts job, String field) {
        return job.duration(field).map(DurationText::format).orElse("");
    }
}
