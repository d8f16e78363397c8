package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The commands that pages of the admin UI show and copy are commands of this version, with all their options. */
class UiCommandsTest {

    private static final Path PAGES = Path.of("../ui/src/main/js");
    private static final Pattern COMMAND = Pattern.compile("['`>]interlock ([a-z]+(?: [a-z]+)?)((?: [^'`<]*)?)");
    private static final Pattern FILTERS = Pattern.compile("cli: 'interlock ([a-z]+ ls)', flags: \\[([^]]*)]");
    private static final Pattern OPTION = Pattern.compile(" (--[a-z-]+)");

    private final List<String> unknown = new ArrayList<>();

    @Test
    void everyCommandOfAPageIsOneOfOurs() throws IOException {
        String pages = pages();
        List<MatchResult> commands = COMMAND.matcher(pages).results().toList();
        assertThat(commands).hasSizeGreaterThan(15);
        commands.forEach(found ->
                check(found.group(1), OPTION.matcher(found.group(2)).results().map(each -> each.group(1))));
        List<MatchResult> filters = FILTERS.matcher(pages).results().toList();
        assertThat(filters).hasSizeGreaterThan(2);
        filters.forEach(found ->
                check(found.group(1), Stream.of(found.group(2).split(", ")).map(UiCommandsTest::option)));
        assertThat(unknown).isEmpty();
    }

    @Test
    void anUnknownOptionIsFound() {
        check("runs ls", Stream.of("--key", "--colour"));
        check("runs paint", Stream.of());
        assertThat(unknown).containsExactly("runs ls --colour", "runs paint");
    }

    private void check(String command, Stream<String> options) {
        if (command.equals("server")) {
            // A program of its own, which the launcher starts.
            return;
        }
        List<String> words = List.of(command.split(" "));
        // The second word of run is a key.
        String help = help(words.get(0).equals("run") ? List.of("run") : words);
        if (help.isEmpty()) {
            unknown.add(command);
            return;
        }
        String known = help;
        options.filter(option -> !Pattern.compile(option + "\\b").matcher(known).find())
                .forEach(option -> unknown.add(command + " " + option));
    }

    private static String help(List<String> words) {
        Typed.Answer answer = new Typed("INTERLOCK_STORE", "sqlite:")
                .type(Stream.concat(words.stream(), Stream.of("--help")).toArray(String[]::new));
        return answer.code() == 0 ? answer.out() : "";
    }

    /** {@code 'failedSince'} as {@code --failed-since}. */
    private static String option(String filter) {
        String name = filter.replace("'", "");
        return "--"
                + Pattern.compile("[A-Z]")
                        .matcher(name)
                        .replaceAll(letter -> "-" + letter.group().toLowerCase(Locale.ROOT));
    }

    private static String pages() throws IOException {
        try (Stream<Path> files = Files.walk(PAGES)) {
            return files.filter(file -> file.toString().endsWith(".js"))
                    .map(UiCommandsTest::text)
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
