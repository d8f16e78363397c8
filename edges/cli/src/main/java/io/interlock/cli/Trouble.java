package io.interlock.cli;

import io.interlock.InterlockException;
import io.interlock.InvalidKeyException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what went wrong: one line of cause, one line of what to do, and a stack trace only for {@code -vv}. */
final class Trouble {

    private final Console console;
    private final boolean loud;

    Trouble(Console console, boolean loud) {
        this.console = console;
        this.loud = loud;
    }

    /** Words that make no command. */
    int misspelt(ParameterException wrong) {
        String command = wrong.getCommandLine().getCommandSpec().qualifiedName(" ");
        String next = command + " --help shows how";
        String cause = firstLine(wrong.getMessage());
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            cause = "'" + word + "' is no " + (word.startsWith("-") ? "option" : "argument") + " of " + command;
            if (!unmatched.getSuggestions().isEmpty()) {
                next = "did you mean " + String.join(" or ", unmatched.getSuggestions()) + "? " + next;
            }
        }
        return tell(ExitCode.USAGE, cause, next, wrong);
    }

    /** Whatever a command threw. */
    int say(Throwable failure) {
        if (failure instanceof Failure told) {
            return tell(told.exitCode(), told.what(), told.nextStep().orElse(null), failure);
        }
        if (failure instanceof StoreUnavailableException) {
            return split(
                    ExitCode.UNAVAILABLE,
                    failure,
                    "see whether it runs, and whether --store or INTERLOCK_STORE names it");
        }
        if (failure instanceof InvalidKeyException) {
            return split(ExitCode.USAGE, failure);
        }
        if (failure instanceof InvalidSettingException setting) {
            return split(
                    List.of("store", "config").contains(setting.setting()) ? ExitCode.CONFIGURATION : ExitCode.USAGE,
                    failure);
        }
        if (failure instanceof UnsafeStoreException) {
            return split(ExitCode.CONFIGURATION, failure);
        }
        if (failure instanceof InterlockException) {
            return split(ExitCode.FAILED, failure);
        }
        return tell(
                ExitCode.INTERNAL,
                "this should not happen: " + firstLine(failure.toString()),
                "the same with -vv shows where; please report it",
                failure);
    }

    // Messages of Interlock end with what to do.
    private int split(int code, Throwable failure) {
        return split(code, failure, null);
    }

    private int split(int code, Throwable failure, @Nullable String otherwise) {
        String message = firstLine(failure.getMessage());
        int next = message.lastIndexOf("; ");
        return next < 0
                ? tell(code, message, otherwise, failure)
                : tell(code, message.substring(0, next), message.substring(next + 2), failure);
    }

    private int tell(int code, String cause, @Nullable String next, Throwable failure) {
        console.say(cause);
        if (next != null) {
            console.more(next);
        }
        if (loud) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace, true));
            console.raw(trace.toString());
        }
        return code;
    }

    private static String firstLine(@Nullable String text) {
        return text == null ? "no reason given" : text.lines().findFirst().orElse("");
    }
}
