package io.interlock.cli;

import io.interlock.cli.command.Session;

/** The door for people and scripts. */
public final class Main {

    private Main() {}

    /** Carries out one command and ends this process with its exit code. */
    public static void main(String[] arguments) {
        Logging.set(CommandLineRunner.isLoud(arguments));
        Session session = Session.ofProcess();
        int code = new CommandLineRunner(session).run(arguments);
        session.console().flush();
        // Not a plain return: whatever is left running, such as a driver's threads, must not keep a script waiting.
        Runtime.getRuntime().halt(code);
    }
}
