package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of the project, found from the working directory of the tests. */
final class SourceTree {

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    private SourceTree() {}

    /** The folder with the root pom. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(".mvn"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException(
                        "no folder with .mvn above " + Path.of("").toAbsolutePath());
            }
        }
        return folder;
    }

    /** The modules the root pom names, such as {@code stores/memory}. */
    static List<String> modules() {
        return MODULE.matcher(read(root().resolve("pom.xml")))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** The modules with main code. */
    static List<String> mainModules() {
        return modules().stream()
                .filter(module -> Files.isDirectory(root().resolve(module).resolve("src/main/java")))
                .toList();
    }

    /** Files below {@code folder} with this ending, in order; none if there is no such folder. */
    static List<Path> files(Path folder, String ending) {
        return files(folder, Integer.MAX_VALUE, ending);
    }

    /** Files in {@code folder} itself with this ending, in order. */
    static List<Path> topLevel(Path folder, String ending) {
        return files(folder, 1, ending);
    }

    private static List<Path> files(Path folder, int depth, String ending) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder, depth)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** All matches of {@code pattern} in {@code text}. */
    static List<MatchResult> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().toList();
    }
}
