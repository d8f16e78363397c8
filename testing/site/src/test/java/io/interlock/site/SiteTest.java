package io.interlock.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The site of this project, as files. {@code DocumentationTest} looks at it in a browser. */
class SiteTest {

    private static final Path HOME = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"#]*)");

    @TempDir
    static Path site;

    private static List<String> dead;

    @BeforeAll
    static void build() {
        dead = Site.build(HOME, site);
    }

    @Test
    void everyLinkLeadsSomewhere() {
        assertThat(dead).isEmpty();
    }

    @Test
    void everyPageIsReachedFromTheFirst() throws IOException {
        Set<String> reached = new TreeSet<>();
        Deque<String> left = new ArrayDeque<>(List.of("index.html"));
        while (!left.isEmpty()) {
            String page = left.remove();
            if (reached.add(page) && page.endsWith(".html")) {
                Matcher link = LINK.matcher(Files.readString(site.resolve(page)));
                while (link.find()) {
                    if (!link.group(1).isEmpty() && !link.group(1).contains(":")) {
                        left.add(Path.of(page)
                                .resolveSibling(link.group(1))
                                .normalize()
                                .toString());
                    }
                }
            }
        }
        assertThat(reached)
                .containsAll(pages())
                .contains("recipes/cron.html", "reference/http.html", "comparison.html");
    }

    @Test
    void nothingComesFromTheNetwork() throws IOException {
        for (String page : pages()) {
            assertThat(Files.readString(site.resolve(page)))
                    .as(page)
                    .doesNotContain("src=\"http")
                    .doesNotContain("<link rel=\"stylesheet\" href=\"http");
        }
        for (String file : List.of("site.css", "site.js", "theme.js")) {
            assertThat(Files.readString(site.resolve(file))).as(file).doesNotContain("://");
        }
    }

    @Test
    void theReferenceHasEveryOperationAndProperty() throws IOException {
        String http = Files.readString(site.resolve("reference/http.html"));
        Matcher operation = Pattern.compile("operationId: (\\w+)")
                .matcher(Files.readString(
                        HOME.resolve("edges/server/src/main/resources/io/interlock/server/openapi.yaml")));
        long number = operation.results().count();
        assertThat(Pattern.compile("<h3 id=\"(get|post|put|delete)-")
                        .matcher(http)
                        .results())
                .hasSize((int) number);
        assertThat(http).contains("id=\"post-apiv1runs\"", "href=\"../problems.html#lock-held\"", "gcp_billing_export");
        assertThat(Files.readString(site.resolve("reference/spring.html"))).contains("interlock.server.api-key");
        assertThat(Files.readString(site.resolve("reference/pipelines.html"))).contains("/pipelines/run/{pipeline_id}");
        assertThat(Files.readString(site.resolve("search.js")))
                .contains("limits.open-runs", "InterlockStoreAway", "key-paused");
    }

    @Test
    void deadLinksAreFoundOut() {
        Map<String, String> pages = Map.of(
                "a.html",
                "<p id=\"here\"><a href=\"#here\"><a href=\"b.html\"><a href=\"b.html#gone\"><img src=\"gone.png\"><a href=\"https://x\">",
                "b.html",
                "<a href=\"a.html#here\">");
        assertThat(LinkCheck.dead(pages, pages::containsKey))
                .containsExactly("a.html: b.html#gone", "a.html: gone.png");
    }

    private static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.walk(site)) {
            return files.map(file -> site.relativize(file).toString())
                    .filter(file -> file.endsWith(".html"))
                    .toList();
        }
    }
}
