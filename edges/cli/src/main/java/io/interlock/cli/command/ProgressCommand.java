package io.interlock.cli.command;

import io.interlock.cli.run.Reports;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code interlock progress N[/TOTAL]}. */
@Command(
        name = "progress",
        description = "Says how far the work is; called by the command that interlock run runs.",
        footer = {"", "Example:", "  interlock progress 12/20"})
public final class ProgressCommand implements Callable<Integer> {

    private final CommandContext session;

    @Parameters(paramLabel = "N[/TOTAL]", description = "How much is done, and of how much")
    private String progress = "";

    /** The command. */
    public ProgressCommand(CommandContext session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        return Reporting.report(session, Reports.PROGRESS + Reports.progress(progress));
    }
}
