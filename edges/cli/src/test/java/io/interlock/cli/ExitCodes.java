package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Cli.Running;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The exit codes of {@code interlock run}, each by a real one: the same on a store and through a server. A lost lease (121) needs
 * a second process that takes the key, and has tests of its own in both places.
 */
final class ExitCodes {

    private final Cli cli;
    private final List<String> place;
    private final String apiKey;
    private final List<Case> cases = new ArrayList<>();

    /**
     * The codes at one place, where another holder has the key {@code held}, and {@code paused/*} is paused.
     *
     * @param place the options that lead to it
     */
    ExitCodes(Path folder, String apiKey, String... place) {
        this.cli = new Cli(folder);
        this.apiKey = apiKey;
        this.place = List.of(place);
        is(0, "", "-n", "code", "--", "true");
        is(3, "", "-n", "code/own", "--", "sh", "-c", "exit 3");
        is(64, "not a duration", "-w", "banana", "code", "--", "true");
        is(64, "no command to run", "-n", "code");
        is(75, "held is held", "-n", "held", "--", "true");
        is(75, "held is held", "-w", "200ms", "held", "--", "true");
        is(75, "paused", "-n", "paused/1", "--", "true");
        is(9, "held is held", "-n", "-E", "9", "held", "--", "true");
        is(0, "", "--if-busy", "skip", "held", "--", "true");
        is(124, "longer than its limit", "-n", "-t", "300ms", "code/slow", "--", "sleep", "60");
        is(126, "cannot be executed", "-n", "code", "--", "/dev/null");
        is(127, "was not found", "-n", "code", "--", "no-such-program");
        is(137, "", "-n", "code/killed", "--", "sh", "-c", "kill -9 $$");
        cases.add(new Case(
                125,
                "could not be started",
                cli.with("-Djava.io.tmpdir=" + folder.resolve("missing")),
                List.of("-n", "code/unstarted", "--", "true")));
    }

    private record Case(int code, String said, Cli cli, List<String> words) {}

    private void is(int code, String said, String... words) {
        cases.add(new Case(code, said, cli, List.of(words)));
    }

    /** Two at a time: there is more waiting in it than work. */
    void areAllProduced() {
        cases.parallelStream().forEach(each -> {
            List<String> options = new ArrayList<>(place);
            options.addAll(each.words);
            ends(each.code, each.said, each.cli, options);
        });
    }

    /** Leads elsewhere, and ends with {@code code}. */
    void elsewhere(int code, String said, String... options) {
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(List.of("-n", "code", "--", "true"));
        ends(code, said, cli, words);
    }

    private void ends(int code, String said, Cli cli, List<String> options) {
        List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(options);
        Running running = cli.startWith("INTERLOCK_API_KEY", apiKey, words.toArray(String[]::new));
        running.closeInput();
        Ended ended = running.await();
        assertThat(ended.code()).as("%s, which said: %s", words, ended.err()).isEqualTo(code);
        assertThat(ended.err()).contains(said).doesNotContain("\tat ");
    }
}
