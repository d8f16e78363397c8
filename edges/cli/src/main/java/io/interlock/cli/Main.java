package io.interlock.cli;

import io.interlock.cli.command.Session;
import java.util.List;

/** The door for people and scripts. */
public final class Main {

    private Main() {}

    /** Carries out one command and ends this process with its exit code. */
    public static void main(String[] arguments) {
        Logging.set(
                CommandLineRunner.isLoud(arguments),
                Commands.nameIn(List.of(arguments)).equals("worker"));
        Session session = Session.ofProcess();
        int code = new CommandLineRunner(session).run(arguments);
        session.console().flush();
        // Not a plain return: whatever is left running must not keep a script waiting. Not halt either: the SQLite
        // driver takes
        // the copy of its library away that it has made in the folder for temporary files.
        System.exit(code);
    }
}
