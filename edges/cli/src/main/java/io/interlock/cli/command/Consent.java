package io.interlock.cli.command;

import io.interlock.cli.text.Console;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import picocli.CommandLine.Option;

/** Asks before something is done that cannot be undone. */
final class Consent {

    @Option(
            names = {"-y", "--yes"},
            description = "Do it without asking")
    private boolean yes;

    /** Goes on only if somebody wants it. */
    void require(Console console, String question) {
        if (yes) {
            return;
        }
        if (!console.canAsk()) {
            throw Failure.usage(question + " Nobody can be asked here", "add --yes if that is meant");
        }
        if (!console.confirm(question)) {
            throw new Failure(ExitCode.FAILED, "nothing was done", null);
        }
    }
}
