package io.interlock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page of the docs that is made from something in the code. Run the test with -Dpages=write to make it anew. */
public final class ProjectPage {

    private ProjectPage() {}

    /** Holds {@code page} against what it should be. */
    public static void compare(String page, String wanted) {
        Path file = root().resolve(page);
        try {
            if ("write".equals(System.getProperty("pages"))) {
                Files.writeString(file, wanted);
            }
            assertThat(Files.readString(file))
                    .as("%s; to make it anew: mvn -pl edges/server -am test -Dpages=write", page)
                    .isEqualTo(wanted);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The text of a page. */
    public static String read(String page) {
        try {
            return Files.readString(root().resolve(page));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(".mvn"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("no folder with .mvn above");
            }
        }
        return folder;
    }
}
