package io.interlock.cli.command;

import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.run.RunFile;
import io.interlock.cli.run.RunFile.Reports;
import io.interlock.cli.text.Failure;
import io.interlock.run.RunTexts;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code interlock stage} and {@code interlock progress}, called by the child of {@code interlock run}. */
public final class ReportCommands {

    private ReportCommands() {}

    @Command(
            description = "Reports the stage that begins; called by the command that interlock run runs.",
            footer = {"", "Example:", "  interlock stage load"})
    public static final class Stage extends CliCommand {

        @Parameters(paramLabel = "NAME", description = "The stage")
        private String name = "";

        @Override
        public Integer call() {
            return report(session(), Reports.STAGE + RunTexts.require("stage", name, "name it in one line"));
        }
    }

    @Command(
            description = "Reports how far the work is; called by the command that interlock run runs.",
            footer = {"", "Example:", "  interlock progress 12/20"})
    public static final class Progress extends CliCommand {

        @Parameters(paramLabel = "N[/TOTAL]", description = "How much is done, and of how much")
        private String progress = "";

        @Override
        public Integer call() {
            return report(session(), Reports.PROGRESS + Reports.progress(progress));
        }
    }

    /** Passes a report on. A run that is over is only a message: a report must not fail the command that makes it. */
    private static int report(CommandContext session, String line) {
        String file = session.variables().getOrDefault(RunFile.VARIABLE, "");
        if (file.isEmpty()) {
            throw Failure.usage(
                    RunFile.VARIABLE + " is not set, so this is no child of interlock run",
                    "call it from the command: interlock run KEY -- ./script.sh");
        }
        try {
            RunFile.report(Path.of(file), line);
        } catch (IOException | InvalidPathException over) {
            session.console().say("the report is dropped, the run is over: " + file + " cannot be written to");
        }
        return 0;
    }
}
