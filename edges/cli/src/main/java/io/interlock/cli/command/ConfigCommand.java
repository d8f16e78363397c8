package io.interlock.cli.command;

import io.interlock.cli.text.Json;
import io.interlock.cli.text.Table;
import io.interlock.config.Configuration;
import io.interlock.config.EffectiveProperty;
import io.interlock.service.Facts;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code interlock config show}. */
@Command(
        name = "show",
        description =
                "Shows the configuration as it holds: flag over INTERLOCK_* over file over default. Secrets are masked.",
        footer = {"", "Example:", "  interlock config show --origin --config interlock.yaml"})
public final class ConfigCommand implements Callable<Integer> {

    private final CommandContext session;

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    @Option(names = "--origin", description = "Also where each value comes from")
    private boolean origin;

    @Option(names = "--set-only", description = "Leave out what nobody has set")
    private boolean setOnly;

    @Option(names = "--json", description = "Answer in JSON")
    private boolean json;

    @Mixin
    private TableOptions shown = new TableOptions();

    /** The command. */
    public ConfigCommand(CommandContext session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        Configuration configuration = options.read(session);
        List<EffectiveProperty> all = configuration.effective().stream()
                .filter(property -> !setOnly || property.isSet())
                .toList();
        if (json) {
            List<Facts> items = all.stream()
                    .map(property -> Facts.with("name", property.name())
                            .and("value", property.value())
                            .and("origin", property.origin()))
                    .toList();
            session.console().print(Json.pretty(Facts.with("items", items)));
            return 0;
        }
        Table table = origin ? new Table("name", "value", "origin") : new Table("name", "value");
        for (EffectiveProperty property : all) {
            if (origin) {
                table.row(property.name(), property.value(), property.origin());
            } else {
                table.row(property.name(), property.value());
            }
        }
        shown.print(table, session.console());
        configuration.warnings().forEach(session.console()::say);
        return 0;
    }
}
