package io.interlock.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The files served to browsers, and their size. */
class UiFilesTest {

    private static final int SCRIPTS = 60_000;
    private static final int STYLES = 12_000;

    private final UiFiles files = UiFiles.read();

    @Test
    void allScriptsAndStylesTogetherAreSmall() {
        assertThat(size(own(".js"))).as("JavaScript of all pages, in bytes").isLessThan(SCRIPTS);
        assertThat(size(own(".css"))).as("styles of all pages, in bytes").isLessThan(STYLES);
    }

    @Test
    void eachPageIsAFile() {
        assertThat(files.names())
                .contains(
                        "now.js",
                        "locks.js",
                        "lock.js",
                        "runs.js",
                        "run.js",
                        "queue.js",
                        "dead-letters.js",
                        "workers.js",
                        "janitor.js",
                        "audit.js",
                        "settings.js",
                        "lit.js");
    }

    @Test
    void whoLooksForAFaultIsShownWhatPeopleWrote() {
        assertThat(text("lock.js")).endsWith("//# sourceMappingURL=lock.js.map\n");
        assertThat(text("lock.js.map")).contains("// Lock: its explanation, its holder, its queue and its history.");
    }

    @Test
    void nothingIsFetchedFromElsewhere() {
        own("").stream()
                .filter(name -> !name.endsWith(".svg") && !name.endsWith(".map"))
                .forEach(name -> assertThat(text(name)).as(name).doesNotContain("http://", "https://"));
    }

    private List<String> own(String ending) {
        return files.names().stream()
                .filter(name -> name.endsWith(ending) && !name.startsWith("lit."))
                .toList();
    }

    private int size(List<String> names) {
        return names.stream()
                .mapToInt(name -> files.file(name).orElseThrow().length)
                .sum();
    }

    private String text(String name) {
        return new String(files.file(name).orElseThrow(), StandardCharsets.UTF_8);
    }
}
