package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Java code on the project's pages is code that {@link QuickStartTest} or a test of the Spring modules compiles and runs. A page marks a block with
 * {@code <!-- snippet: name -->} on the line before it; the test marks the same lines with {@code // snippet: name} and
 * {@code // end snippet}. The name of a class stands for its whole file but the package.
 */
class SnippetsTest {

    /** Where code is that pages show; the tests of these modules run it. */
    private static final List<String> FOLDERS = List.of(
            "testing/architecture/src/test/java/io",
            "edges/client",
            "edges/spring",
            "edges/spring-boot-starter",
            "examples/spring");

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
