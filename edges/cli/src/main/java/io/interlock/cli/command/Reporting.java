package io.interlock.cli.command;

import io.interlock.cli.run.RunFile;
import io.interlock.cli.text.Failure;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** What commands do that are called by the child of {@code interlock run}. */
final class Reporting {

    private Reporting() {}

    /** Passes a report on. If the run is over that is only said: a report must not fail whoever makes it. */
    static int report(CommandContext session, String line) {
        String file = session.variables().getOrDefault(RunFile.VARIABLE, "");
        if (file.isEmpty()) {
            throw Failure.usage(
                    RunFile.VARIABLE + " is not set, so this is no child of interlock run",
                    "call it from the command: interlock run KEY -- ./script.sh");
        }
        try {
            RunFile.report(Path.of(file), line);
        } catch (IOException | InvalidPathException over) {
            session.console().say("nobody hears of this, the run is over: " + file + " cannot be written to");
        }
        return 0;
    }
}
