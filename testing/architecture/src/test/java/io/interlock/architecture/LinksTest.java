package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Relative links of the project's pages point to an existing file, and to an existing heading if they name one. */
class LinksTest {

    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\\n]*`");

    @Test
    void linksLeadSomewhere() {
        List<Path> pages = Documents.all();
        assertThat(pages).extracting(Documents::name).contains("README.md", "docs/guarantees.md");
        assertThat(pages.stream().flatMap(page -> deadLinks(page).stream())).isEmpty();
        assertThat(pages.stream().mapToInt(page -> links(page).size()).sum()).isGreaterThan(20);
    }

    @Test
    void deadLinksAreFoundOut(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("there.md"), "# A Title, with `code`\n");
        Path page = folder.resolve("page.md");
        Files.writeString(page, """
                # Here
                [1](there.md) [2](there.md#a-title-with-code) [3](#here) [4](https://example.org/x) `[5](not-a-link.md)`
                [6](gone.md) [7](there.md#gone) [8](#gone)
                """);
        assertThat(deadLinks(page)).containsExactly("page.md: gone.md", "page.md: there.md#gone", "page.md: #gone");
    }

    private static List<String> deadLinks(Path page) {
        List<String> dead = new ArrayList<>();
        for (String link : links(page)) {
            int hash = link.indexOf('#');
            String file = hash < 0 ? link : link.substring(0, hash);
            Path target = file.isEmpty() ? page : page.resolveSibling(file);
            boolean leads =
                    Files.exists(target) && (hash < 0 || headings(target).contains(link.substring(hash + 1)));
            if (!leads) {
                dead.add(page.getFileName() + ": " + link);
            }
        }
        return dead;
    }

    private static List<String> links(Path page) {
        return SourceTree.matches(LINK, CODE.matcher(SourceTree.read(page)).replaceAll("")).stream()
                .map(match -> match.group(1))
                .filter(link -> !link.contains("://") && !link.startsWith("mailto:"))
                .toList();
    }

    /** The anchors of a page, derived from its headings like on Git hosts. */
    private static Set<String> headings(Path page) {
        return SourceTree.matches(HEADING, SourceTree.read(page)).stream()
                .map((MatchResult match) -> match.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }
}
