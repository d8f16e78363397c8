package io.interlock.cli;

import io.interlock.cli.command.CliCommand.CommandContext;
import io.interlock.cli.text.Failure;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Finds and runs the command, and turns a failure into an exit code and two lines. */
final class CommandLineRunner {

    private static final String END_OF_OPTIONS = "--";
    private static final char UNREADABLE = '\uFFFD';

    private final CommandContext session;

    CommandLineRunner(CommandContext session) {
        this.session = session;
    }

    /** Whether -vv is given. */
    static boolean isLoud(String... arguments) {
        int verbose = 0;
        for (String word : arguments) {
            if (word.equals(END_OF_OPTIONS)) {
                break;
            }
            verbose += word.equals("-vv") ? 2 : word.equals("-v") || word.equals("--verbose") ? 1 : 0;
        }
        return verbose > 1;
    }

    /** Spellings of other programs: {@code --version}, {@code help}. */
    private static List<String> understood(List<String> words) {
        String first = words.isEmpty() ? "" : words.get(0);
        if (first.equals("--version") || first.equals("-V")) {
            return List.of("version");
        }
        if (first.equals("help")) {
            return Stream.concat(words.stream().skip(1), Stream.of("--help")).toList();
        }
        return words;
    }

    // A JVM reads arguments by the locale, and puts this character in the place of bytes that are no text there. They
    // cannot be passed on as they were.
    private static void requireText(List<String> words) {
        for (String word : words) {
            if (word.indexOf(UNREADABLE) >= 0) {
                throw Failure.usage(
                        "'" + word + "' is no text in this locale, and cannot be passed on as it is",
                        "write it in UTF-8, with LC_ALL=C.UTF-8 or another locale of UTF-8");
            }
        }
    }

    int run(String... arguments) {
        List<String> all = understood(List.of(arguments));
        // Words behind -- are not options, and picocli must not touch them.
        int end = Commands.nameIn(all).equals("run") ? all.indexOf(END_OF_OPTIONS) : -1;
        List<String> options = end < 0 ? all : all.subList(0, end);
        List<String> command = end < 0 ? List.of() : all.subList(end + 1, all.size());
        ErrorReport trouble = new ErrorReport(session.console(), isLoud(arguments), options.contains("--json"));
        try {
            requireText(all);
            CommandLine line = new Commands(session, command).lineFor(options);
            line.setExpandAtFiles(false)
                    .setOut(session.console().writer())
                    .setParameterExceptionHandler(trouble)
                    .setExecutionExceptionHandler(trouble);
            return line.execute(options.toArray(String[]::new));
        } catch (RuntimeException failure) {
            return trouble.say(failure);
        }
    }
}
