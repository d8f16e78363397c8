package io.interlock.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The project's own pages. */
final class Documents {

    private Documents() {}

    /** All Markdown files of the root folder and of {@code docs}. */
    static List<Path> all() {
        Path root = SourceTree.root();
        Stream<Path> top = SourceTree.files(root.resolve("docs"), ".md").stream();
        return Stream.concat(top, SourceTree.topLevel(root, ".md").stream())
                .sorted()
                .toList();
    }

    /** The path of a page as people write it. */
    static String name(Path page) {
        return SourceTree.root().relativize(page).toString();
    }
}
