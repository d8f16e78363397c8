package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Java code on the project's pages is code that {@link QuickStartTest} or a test of the Spring modules compiles and runs. A page marks a block with
 * {@code <!-- snippet: name -->} on the line before it; the test marks the same lines with {@code // snippet: name} and
 * {@code // end snippet}. The name of a class stands for its whole file but the package.
 *
 * <p>Every other block names the test that reads it on the page and runs it, or says why nothing runs it.
 */
class SnippetsTest {

    /** Where code is that pages show; the tests of these modules run it. */
    private static final List<String> FOLDERS = List.of(
            "testing/architecture/src/test/java/io",
            "edges/client",
            "edges/spring",
            "edges/spring-boot-starter",
            "examples/spring");

    private static final Pattern ANY_BLOCK =
            Pattern.compile("(?ms)(?:^ *<!-- ([^\\n]*) -->\\n)?^ *```(\\w*)\\n(.*?)^ *```$");

    /** Languages of blocks that nothing could run. */
    private static final Set<String> PICTURES = Set.of("text", "mermaid");

    /** Pages whose commands, files and outputs RecipesTest and ReadmeCommandsTest read; RecipesTest refuses blocks without a mark. */
    private static final List<String> FOLLOWED = List.of("README.md", "docs/start.md", "docs/recipes/", "docs/compat/");

    /** CatalogueTest compares the page with the answers it is made from. */
    private static final String WRITTEN_BY_A_TEST = "docs/problems.md";

    private static final List<Path> TESTS = SourceTree.files(SourceTree.root(), "Test.java");

    private static final Pattern BLOCK = Pattern.compile("(?ms)(?:^<!-- snippet: (\\w+) -->\\n)?^```java\\n(.*?)^```");
    private static final Pattern REGION = Pattern.compile("(?ms)^ *// snippet: (\\w+)\\n(.*?)^ *// end snippet");

    @Test
    void codeOnPagesIsCodeThatRuns() {
        Map<String, String> regions = new TreeMap<>();
        for (String folder : FOLDERS) {
            SourceTree.files(SourceTree.root().resolve(folder), ".java").forEach(file -> {
                String source = SourceTree.read(file);
                regions.putAll(regions(source));
                regions.put(
                        file.getFileName().toString().replace(".java", ""),
                        source.substring(source.indexOf(";\n\n") + 3));
            });
        }
        assertThat(regions).isNotEmpty();
        List<String> problems = new ArrayList<>();
        for (Path page : Documents.all()) {
            problems.addAll(problems(Documents.name(page), SourceTree.read(page), regions));
        }
        assertThat(problems).isEmpty();
        assertThat(SourceTree.matches(BLOCK, SourceTree.read(SourceTree.root().resolve("README.md"))))
                .isNotEmpty();
    }

    @Test
    void codeThatDriftedAwayIsFoundOut() {
        Map<String, String> regions = regions("    // snippet: one\n    a();\n        b();\n    // end snippet\n");
        assertThat(problems("p.md", "<!-- snippet: one -->\n```java\na();\n    b();\n```\n", regions))
                .isEmpty();
        assertThat(problems("p.md", "<!-- snippet: one -->\n```java\na();\nb();\n```\n", regions))
                .containsExactly("p.md: snippet one differs from the code that runs");
        assertThat(problems("p.md", "<!-- snippet: two -->\n```java\na();\n```\n", regions))
                .containsExactly("p.md: snippet two differs from the code that runs");
        assertThat(problems("p.md", "```java\na();\n```\n", regions))
                .containsExactly("p.md: Java without a snippet mark: a();");
    }

    @Test
    void everyBlockSaysWhatRunsIt() {
        List<String> problems = new ArrayList<>();
        for (Path page : Documents.all()) {
            problems.addAll(unmarked(Documents.name(page), SourceTree.read(page)));
        }
        assertThat(problems).isEmpty();
    }

    @Test
    void blocksThatNothingRunsAreFoundOut() {
        assertThat(unmarked("docs/p.md", "```sh\nrm -r x\n```\n"))
                .containsExactly("docs/p.md: says neither what runs this block nor why nothing does: rm -r x");
        assertThat(unmarked("docs/p.md", "<!-- not run -->\n```sh\nls\n```\n")).hasSize(1);
        assertThat(unmarked("docs/p.md", "<!-- not run: it is yours -->\n\n```sh\nls\n```\n"))
                .hasSize(1);
        assertThat(unmarked("docs/p.md", "<!-- not run: it is yours -->\n```sh\nls\n```\n"))
                .isEmpty();
        assertThat(unmarked("docs/p.md", "<!-- commands -->\n```sh\nls\n```\n")).hasSize(1);
        assertThat(unmarked("docs/recipes/p.md", "<!-- commands -->\n```sh\nls\n```\n"))
                .isEmpty();
        assertThat(unmarked("docs/p.md", "<!-- run by: NoSuchTest -->\n```sh\nls\n```\n"))
                .hasSize(1);
        assertThat(unmarked("docs/p.md", "<!-- run by: LinksTest -->\n```sh\nls\n```\n"))
                .hasSize(1);
        assertThat(unmarked("docs/spring.md", "  <!-- run by: FencedStormTest -->\n  ```sql\n  X\n  ```\n"))
                .isEmpty();
        assertThat(unmarked("docs/p.md", "```text\na picture\n```\n")).isEmpty();
    }

    private static List<String> unmarked(String page, String text) {
        List<String> problems = new ArrayList<>();
        for (MatchResult block : SourceTree.matches(ANY_BLOCK, text)) {
            String mark = block.group(1) == null ? "" : block.group(1);
            if (!PICTURES.contains(block.group(2)) && !isRun(page, mark) && !page.equals(WRITTEN_BY_A_TEST)) {
                problems.add(page + ": says neither what runs this block nor why nothing does: "
                        + block.group(3).lines().findFirst().orElse("").strip());
            }
        }
        return problems;
    }

    private static boolean isRun(String page, String mark) {
        String name = mark.contains(": ") ? mark.substring(mark.indexOf(": ") + 2) : "";
        if (mark.startsWith("run by: ")) {
            // A test that runs a page's block reads it there.
            return TESTS.stream()
                    .filter(test -> test.getFileName().toString().equals(name + ".java"))
                    .anyMatch(test -> SourceTree.read(test).contains(page));
        }
        return mark.startsWith("snippet: ")
                || mark.startsWith("not run: ")
                || (!mark.isEmpty() && FOLLOWED.stream().anyMatch(page::startsWith));
    }

    private static List<String> problems(String page, String text, Map<String, String> regions) {
        return SourceTree.matches(BLOCK, text).stream()
                .filter(block -> block.group(1) == null || !block.group(2).equals(regions.get(block.group(1))))
                .map(block -> block.group(1) == null
                        ? page + ": Java without a snippet mark: "
                                + block.group(2).lines().findFirst().orElse("")
                        : page + ": snippet " + block.group(1) + " differs from the code that runs")
                .toList();
    }

    private static Map<String, String> regions(String source) {
        return SourceTree.matches(REGION, source).stream()
                .collect(Collectors.toMap(
                        match -> match.group(1), match -> outdented(match.group(2)), (a, b) -> a, TreeMap::new));
    }

    // A last line break would count as a line without indent.
    private static String outdented(String lines) {
        return lines.stripTrailing().stripIndent() + "\n";
    }
}
