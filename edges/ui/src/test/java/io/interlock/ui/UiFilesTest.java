package io.interlock.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** The files served to browsers, and their size. */
class UiFilesTest {

    /** What a browser fetches before it shows the first page, in bytes, compressed as they are sent. */
    private static final int FIRST_VISIT = 60_000;

    private static final int ALL = 150_000;

    private final UiFiles files = UiFiles.read();

    @Test
    void theFirstPageIsThereSoonAndAllPagesAreSmall() {
        assertThat(compressed(List.of("index.html", "theme.js", "icon.svg", "app.css", "lit.js", "app.js", "now.js")))
                .as("the first visit")
                .isLessThan(FIRST_VISIT);
        assertThat(compressed(files.names().stream()
                        .filter(name -> !name.endsWith(".map"))
                        .toList()))
                .as("all files")
                .isLessThan(ALL);
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
                        "jobs.js",
                        "workers.js",
                        "janitor.js",
                        "audit.js",
                        "settings.js",
                        "docs.js",
                        "lit.js");
    }

    @Test
    void thePageOfTheDocsKnowsEachFileOfThem() {
        String page = text("docs.js");
        assertThat(files.names().stream().filter(name -> name.startsWith("docs/")))
                .hasSizeGreaterThan(10)
                .allSatisfy(name ->
                        assertThat(page).containsPattern("[\" ]" + name.replaceAll("^docs/|\\.md$", "") + "[\" ]"));
    }

    @Test
    void whoLooksForAFaultIsShownWhatPeopleWrote() {
        assertThat(text("lock.js")).endsWith("//# sourceMappingURL=lock.js.map\n");
        assertThat(text("lock.js.map"))
                .contains("// Lock: who has the key, who is next, and all holds one after the other.");
    }

    @Test
    void nothingIsFetchedFromElsewhere() {
        own("").stream()
                .filter(name -> !name.endsWith(".svg") && !name.endsWith(".map") && !name.endsWith(".md"))
                .forEach(name -> assertThat(text(name)).as(name).doesNotContain("http://", "https://"));
    }

    private List<String> own(String ending) {
        return files.names().stream()
                .filter(name -> name.endsWith(ending) && !name.startsWith("lit."))
                .toList();
    }

    private int compressed(List<String> names) {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        for (String name : names) {
            try (GZIPOutputStream out = new GZIPOutputStream(sent)) {
                out.write(files.file(name).orElseThrow());
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
        return sent.size();
    }

    private String text(String name) {
        return new String(files.file(name).orElseThrow(), StandardCharsets.UTF_8);
    }
}
