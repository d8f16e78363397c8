package io.interlock.cli.command;

import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.command.CliCommand.TableOptions;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Table;
import io.interlock.client.Json;
import io.interlock.config.Configuration;
import io.interlock.config.ConfigurationException;
import io.interlock.config.Given;
import io.interlock.config.Given.Flag;
import io.interlock.config.JobSettings;
import io.interlock.service.Facts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code interlock config show}. */
@Command(
        description = "Shows the configuration as it holds: flag over INTERLOCK_* over file over default. Secrets are"
                + " masked.",
        footer = {"", "Example:", "  interlock config show --origin --config interlock.yaml"})
public final class ConfigCommand extends CliCommand {

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    @Option(names = "--origin", description = "Also where each value comes from")
    private boolean origin;

    @Option(names = "--set-only", description = "Leave out defaults")
    private boolean setOnly;

    @Option(names = "--json", description = "Answer in JSON")
    private boolean json;

    @Mixin
    private TableOptions shown = new TableOptions();

    @Override
    public Integer call() {
        Configuration configuration = options.read(session());
        List<Facts> items = configuration.effective().stream()
                .filter(property -> !setOnly || property.isSet())
                .map(property -> Facts.with("name", property.name())
                        .and("value", property.value())
                        .and("origin", property.origin()))
                .toList();
        if (json) {
            console().print(Json.pretty(Facts.with("items", items)));
            return 0;
        }
        Table columns = new Table().of("name", "value");
        shown.print(origin ? columns.of("origin") : columns, items, console());
        configuration.warnings().forEach(console()::say);
        return 0;
    }

    /** Where the configuration of servers and workers comes from. */
    static final class ConfigOptions {

        @Option(names = "--config", paramLabel = "FILE", description = "A YAML file, such as interlock.yaml")
        private @Nullable Path file;

        @Option(names = "--store", paramLabel = "URL", description = "The store, instead of what the file says")
        private @Nullable String store;

        @Option(
                names = {"-v", "--verbose"},
                description = "Print more; -vv: also stack traces and the log")
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
                throw refused(wrong, session);
            }
        }

        /** Tells every mistake of {@code wrong}. */
        static Failure refused(ConfigurationException wrong, CommandContext session) {
            String.valueOf(wrong.getMessage()).lines().forEach(session.console()::say);
            return new Failure(
                    ExitCode.CONFIGURATION,
                    "the configuration is wrong",
                    "correct what is said above; nothing was started");
        }
    }
}
