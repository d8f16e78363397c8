package io.interlock.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code interlock} alone. */
@Command(
        name = "interlock",
        description = "One execution per key at a time, across threads, processes and machines.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "interlock COMMAND --help shows options and examples.",
            "",
            "Examples:",
            "  interlock run -w 10m ledger/4711 -- ./close.sh",
            "  interlock locks show ledger/4711",
            "  interlock runs ls --state RUNNING"
        })
final class Root implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
        return 0;
    }
}
