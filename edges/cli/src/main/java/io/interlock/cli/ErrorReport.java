package io.interlock.cli;

import io.interlock.InterlockException;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.Json;
import io.interlock.service.Facts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports a failure: one line of cause, one line of what to do, and a stack trace only for {@code -vv}. It is picocli's handlers itself: no
 * archive of classes keeps a lambda of theirs.
 */
final class ErrorReport implements IParameterExceptionHandler, IExecutionExceptionHandler {

    private final Console console;
    private final boolean loud;
    private final boolean json;

    /**
     * For one command line.
     *
     * @param json whether programs read it: then in one line of JSON
     */
    ErrorReport(Console console, boolean loud, boolean json) {
        this.console = console;
        this.loud = loud;
        this.json = json;
    }

    /** A command line that cannot be parsed. */
    @Override
    public int handleParseException(ParameterException wrong, String[] words) {
        String command = wrong.getCommandLine().getCommandSpec().qualifiedName(" ");
        String next = command + " --help shows how";
        String cause = Failure.firstLine(wrong.getMessage()).replace("option option", "option");
        if (wrong instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            List<String> names =
                    missing.getMissing().stream().map(ErrorReport::name).toList();
            cause = String.join(" and ", names) + (names.size() == 1 ? " is missing" : " are missing");
        } else if (!wrong.getCommandLine().getSubcommands().isEmpty()
                && !(wrong instanceof UnmatchedArgumentException)) {
            cause = command + " is not the whole command";
            next = "it goes on with one of: "
                    + String.join(
                            ", ",
                            new TreeSet<>(
                                    wrong.getCommandLine().getSubcommands().keySet()));
        } else if (wrong instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            cause = "'" + word + "' is no " + (word.startsWith("-") ? "option" : "argument") + " of " + command;
            if (command.endsWith(" run") && !word.startsWith("-")) {
                next = "write the command behind --, as in: " + command + " KEY -- " + word;
            } else if (!unmatched.getSuggestions().isEmpty()) {
                next = "did you mean " + String.join(" or ", unmatched.getSuggestions()) + "? " + next;
            }
        }
        return tell(Failure.usage(cause, next), wrong);
    }

    private static String name(ArgSpec missing) {
        return missing instanceof OptionSpec option
                ? option.longestName() + " " + option.paramLabel()
                : missing.paramLabel();
    }

    /** An exception of a command. */
    @Override
    public int handleExecutionException(Exception failure, CommandLine failed, ParseResult words) {
        return say(failure);
    }

    /** Any failure. */
    int say(Throwable failure) {
        Failure told = failure instanceof InterlockException known
                ? Failure.of(known)
                : new Failure(
                        ExitCode.INTERNAL,
                        "this should not happen: " + Failure.firstLine(failure.toString()),
                        "the same with -vv shows where; please report it");
        return tell(told, failure);
    }

    private int tell(Failure told, Throwable failure) {
        if (json) {
            console.raw(Json.line(Facts.with("event", "failed")
                    .and("code", told.code())
                    .and("message", told.what())
                    .and("next", told.nextStep().orElse(null))
                    .and("exitCode", told.exitCode())));
        } else {
            // What a problem of the REST interface is called can be looked up; the others say all there is to say.
            boolean named = ExitCode.of(told.code()) == told.exitCode()
                    && told.exitCode() != ExitCode.USAGE
                    && !told.code().equals(ExitCode.NOT_DONE);
            console.say(told.what() + (named ? " [" + told.code() + "]" : ""));
            told.nextStep().ifPresent(console::more);
        }
        if (loud) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace, true));
            console.raw(trace.toString());
        }
        return told.exitCode();
    }
}
