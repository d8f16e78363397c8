package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Main source files stay small: nine of ten under 200 lines, none over 350. */
class FileSizeTest {

    private static final int USUAL = 200;
    private static final int LARGEST = 350;

    @Test
    void sourceFilesAreSmall() {
        Map<String, Integer> lines = new TreeMap<>();
        for (String module : SourceTree.mainModules()) {
            Path sources = SourceTree.root().resolve(module).resolve("src/main");
            SourceTree.files(sources, ".java").forEach(file -> lines.put(name(file), linesOf(file)));
        }
        assertThat(lines).hasSizeGreaterThan(50);
        assertThat(problems(lines)).isEmpty();
    }

    @Test
    void oneLargeFileIsFoundOut() {
        assertThat(problems(Map.of("Large.java", 351, "Small.java", 10)))
                .anyMatch(problem -> problem.contains("Large.java has 351 lines"));
    }

    @Test
    void manyLongFilesAreFoundOut() {
        Map<String, Integer> lines = new TreeMap<>();
        for (int i = 0; i < 9; i++) {
            lines.put("Small" + i + ".java", 199);
        }
        lines.put("Long1.java", 200);
        assertThat(problems(lines)).isEmpty();
        lines.put("Long2.java", 201);
        assertThat(problems(lines)).anyMatch(problem -> problem.startsWith("2 of 11 files"));
    }

    private static List<String> problems(Map<String, Integer> lines) {
        Map<String, Integer> large = new TreeMap<>(lines);
        large.values().removeIf(count -> count <= LARGEST);
        if (!large.isEmpty()) {
            return large.entrySet().stream()
                    .map(entry -> entry.getKey() + " has " + entry.getValue() + " lines; the limit is " + LARGEST)
                    .toList();
        }
        long longOnes = lines.values().stream().filter(count -> count >= USUAL).count();
        if (longOnes * 10 > lines.size()) {
            return List.of(longOnes + " of " + lines.size() + " files have " + USUAL + " lines or more: " + lines);
        }
        return Collections.emptyList();
    }

    private static String name(Path file) {
        return SourceTree.root().relativize(file).toString();
    }

    private static int linesOf(Path file) {
        return (int) SourceTree.read(file).lines().count();
    }
}
