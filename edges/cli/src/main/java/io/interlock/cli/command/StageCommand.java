package io.interlock.cli.command;

import io.interlock.cli.run.Reports;
import io.interlock.run.RunTexts;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code interlock stage NAME}. */
@Command(
        name = "stage",
        description = "Says which part of the work begins; called by the command that interlock run runs.",
        footer = {"", "Example:", "  interlock stage load"})
public final class StageCommand implements Callable<Integer> {

    private final CommandContext session;

    @Parameters(paramLabel = "NAME", description = "The part of the work")
    private String name = "";

    /** The command. */
    public StageCommand(CommandContext session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        return Reporting.report(session, Reports.STAGE + RunTexts.require("stage", name, "name it in one line"));
    }
}
