package io.interlock.cli;

import io.interlock.cli.command.CommandContext;
import io.interlock.cli.text.ExitCode;
import java.util.List;
import java.util.Optional;

/** The compatible API for people and scripts. */
public final class Main {

    private Main() {}

    /** Carries out one command and ends this process with its exit code. */
    public static void main(String[] arguments) {
        Logging.set(
                CommandLineRunner.isLoud(arguments),
                Commands.nameIn(List.of(arguments)).equals("worker"));
        CommandContext session = CommandContext.ofProcess();
        int code = new CommandLineRunner(session).run(arguments);
        Optional<String> lost = session.console().unwritten();
        if (lost.isPresent() && code == ExitCode.OK) {
            code = ExitCode.INTERNAL;
            session.console().say("the answer could not be written: " + lost.get());
            session.console().more("make room where stdout leads to, and look again: what was to be done is done");
        }
        // Not a plain return: whatever is left running must not keep a script waiting. Not halt either: the SQLite
        // driver takes
        // the copy of its library away that it has made in the folder for temporary files.
        System.exit(code);
    }
}
