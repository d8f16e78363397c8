package io.interlock.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The project's own pages. */
final class Documents {

    private Documents() {}

    /** All Markdown files of the root folder, of {@code docs} and of {@code examples}. */
    static List<Path> all() {
        Path root = SourceTree.root();
        return Stream.of(
                        SourceTree.topLevel(root, ".md"),
                        SourceTree.files(root.resolve("docs"), ".md"),
                        SourceTree.files(root.resolve("examples"), ".md"))
                .flatMap(List::stream)
                .sorted()
                .toList();
    }

    /** The path of a page relative to the root. */
    static String name(Path page) {
        return SourceTree.root().relativize(page).toString();
    }
}
