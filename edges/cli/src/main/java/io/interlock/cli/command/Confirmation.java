package io.interlock.cli.command;

import io.interlock.cli.text.Console;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import picocli.CommandLine.Option;

/**
 * Asks before something is done that cannot be undone, if somebody sits at a terminal. In scripts what is typed is what is meant: it
 * names the run, the token or the key, and where force is used, why.
 */
final class Confirmation {

    @Option(
            names = {"-y", "--yes"},
            description = "Do it without asking, on a terminal too")
    private boolean yes;

    /** Goes on only if somebody wants it. */
    void require(Console console, String question) {
        if (!yes && console.canAsk() && !console.confirm(question)) {
            throw new Failure(ExitCode.FAILED, "nothing was done", null);
        }
    }
}
