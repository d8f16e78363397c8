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

    /** What goes on inside is logged only if somebody asks for it. */
    static final class Logging {

        private static final String PREFIX = "org.slf4j.simpleLogger.";

        private Logging() {}

        /**
         * Says so to slf4j-simple, before anybody asks for a logger.
         *
         * @param loud whether everything is asked for
         * @param lasting whether it goes on for long, so that nobody would see what goes wrong meanwhile
         */
        static void set(boolean loud, boolean lasting) {
            System.setProperty(PREFIX + "defaultLogLevel", loud ? "debug" : lasting ? "warn" : "off");
            System.setProperty(PREFIX + "showShortLogName", "true");
            System.setProperty("slf4j.internal.verbosity", "ERROR");
        }
    }
}
