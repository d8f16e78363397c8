package io.interlock.cli.command;

import io.interlock.DurationText;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Table;
import io.interlock.engine.Jobs;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code interlock jobs ls}. */
@Command(name = "ls", description = "Lists the jobs of a server, or of a configuration file.")
public final class JobsCommand extends Listing {

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The configuration that defines them; a store knows none")
    private @Nullable Path config;

    /** The command. */
    public JobsCommand(Session session) {
        super(session);
    }

    @Override
    Jobs jobs() {
        return config == null ? Jobs.of() : Jobs.of(ConfigOptions.jobs(session(), config));
    }

    @Override
    List<Facts> items(Backend backend) {
        return backend.house().jobs();
    }

    @Override
    Table table() {
        return new Table("name", "door", "on-conflict", "lease", "attempts", "max-runtime");
    }

    @Override
    String[] row(Facts job) {
        return new String[] {
            job.shown("name"),
            job.shown("door"),
            job.shown("onConflict"),
            job.duration("lease").map(DurationText::format).orElse(""),
            job.shown("maxAttempts"),
            job.duration("maxRuntime").map(DurationText::format).orElse("")
        };
    }

    @Override
    String none() {
        return "there are no jobs; the configuration defines them";
    }
}
