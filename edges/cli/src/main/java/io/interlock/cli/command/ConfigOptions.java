package io.interlock.cli.command;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.config.Configuration;
import io.interlock.config.ConfigurationException;
import io.interlock.config.Flag;
import io.interlock.config.Given;
import io.interlock.config.JobSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the configuration of servers and workers comes from. */
final class ConfigOptions {

    @Option(names = "--config", paramLabel = "FILE", description = "A YAML file, such as interlock.yaml")
    private @Nullable Path file;

    @Option(names = "--store", paramLabel = "URL", description = "The store, instead of what the file says")
    private @Nullable String store;

    @Option(
            names = {"-v", "--verbose"},
            description = "Say more; -vv: with stack traces and the log")
    private boolean[] verbose = {};

    boolean isVerbose() {
        return verbose.length > 0;
    }

    /** Reads it; every mistake in it is told at once. */
    Configuration read(CommandContext session) {
        List<Flag> flags = new ArrayList<>();
        if (store != null) {
            flags.add(Flag.of("store", store));
        }
        return read(new Given(flags, session.variables(), file), session);
    }

    /** The jobs of a file. */
    static List<JobSettings> jobs(CommandContext session, Path file) {
        return List.copyOf(read(new Given(List.of(), session.variables(), file), session)
                .settings()
                .jobs()
                .values());
    }

    /** Reads what is given; every mistake in it is told at once. */
    static Configuration read(Given given, CommandContext session) {
        try {
            return Configuration.read(given);
        } catch (ConfigurationException wrong) {
            String.valueOf(wrong.getMessage()).lines().forEach(session.console()::say);
            throw new Failure(
                    ExitCode.CONFIGURATION,
                    "the configuration is wrong",
                    "correct what is said above; nothing was started");
        }
    }
}
