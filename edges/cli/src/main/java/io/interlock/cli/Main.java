package io.interlock.cli;

import io.interlock.InterlockException;
import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.text.ExitCode;
import io.interlock.engine.command.GuardedProcess;
import io.interlock.locks.Locks;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Entry point of the command line. */
public final class Main {

    private Main() {}

    /** Carries out one command and ends this process with its exit code. */
    public static void main(String[] arguments) {
        // Not a plain return: threads that are left must not keep a script waiting. Not halt either: the SQLite driver
        // deletes the copy of its library in the temporary folder.
        System.exit(carryOut(arguments));
    }

    /** Carries out one command, and returns its exit code. */
    static int carryOut(String[] arguments) {
        Logging.set(
                CommandLineRunner.isLoud(arguments),
                Commands.nameIn(List.of(arguments)).equals("worker"));
        // picocli would look for Groovy, and a class that is nowhere is searched for in all jars.
        System.setProperty("picocli.disable.closures", "true");
        CommandContext session = CommandContext.ofProcess();
        prepare(List.of(arguments), session);
        int code = new CommandLineRunner(session).run(arguments);
        Optional<String> lost = session.console().unwritten();
        if (lost.isPresent() && code == ExitCode.OK) {
            code = ExitCode.INTERNAL;
            session.console().say("the answer could not be written: " + lost.get());
            session.console()
                    .more("free space where stdout is written to, and look again: the command itself was carried out");
        }
        return code;
    }

    /** Loads on other threads, while the words are read, what {@code interlock run} needs after that. It touches no store. */
    private static void prepare(List<String> words, CommandContext session) {
        if (!Commands.nameIn(words).equals("run")) {
            return;
        }
        GuardedProcess.prepare(session.environment());
        boolean elsewhere = Stream.concat(
                        words.stream(),
                        Stream.of("INTERLOCK_STORE", "INTERLOCK_SERVER").map(session.variables()::get))
                .anyMatch(word -> word != null && word.contains("://"));
        session.environment()
                .threads("interlock-prepare")
                .newThread(() -> {
                    session.environment().random().nextLong();
                    if (!elsewhere) {
                        prepareSqlite();
                    }
                })
                .start();
    }

    private static void prepareSqlite() {
        try {
            Locks.prepare("sqlite:");
        } catch (InterlockException fails) {
            // So will the command, which says why.
        }
    }

    /** Logs only if asked for. */
    static final class Logging {

        private static final String PREFIX = "org.slf4j.simpleLogger.";
        private static final String PROVIDER = "org.slf4j.simple.SimpleServiceProvider";

        private Logging() {}

        /**
         * Configures slf4j-simple, before the first logger is made.
         *
         * @param lasting whether the command runs for long, so that warnings matter
         */
        static void set(boolean loud, boolean lasting) {
            System.setProperty(PREFIX + "defaultLogLevel", loud ? "debug" : lasting ? "warn" : "off");
            System.setProperty(PREFIX + "showShortLogName", "true");
            System.setProperty("slf4j.internal.verbosity", "ERROR");
            try {
                // Named, so that it is not searched for in all jars. A class that is found is in the archive; a file
                // would open its jar.
                Class.forName(PROVIDER, false, Logging.class.getClassLoader());
                System.setProperty("slf4j.provider", PROVIDER);
            } catch (ClassNotFoundException elsewhere) {
                // An application that calls commands logs in its own way.
            }
        }
    }
}
