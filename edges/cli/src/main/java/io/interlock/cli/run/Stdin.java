package io.interlock.cli.run;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The input this process was given. */
final class Stdin {

    private static final Path OPEN = Path.of("/proc/self/fd");

    private Stdin() {}

    /**
     * Where the command's input comes from. If ours was closed, its number is that of the first file the JVM has opened, which is
     * nobody's input.
     */
    static Redirect ofCommand() {
        return isFileOfTheJvm() ? Redirect.from(new File("/dev/null")) : Redirect.INHERIT;
    }

    // One that was given to us the JVM has opened once more.
    private static boolean isOpenOnce(Path input) throws IOException {
        try (Stream<Path> open = Files.list(OPEN)) {
            return open.filter(each -> isOpen(each, input)).count() == 1;
        }
    }

    private static boolean isOpen(Path descriptor, Path file) {
        try {
            return Files.isSameFile(descriptor, file);
        } catch (IOException closed) {
            return false;
        }
    }

    private static boolean isFileOfTheJvm() {
        try {
            Path input = OPEN.resolve("0").toRealPath();
            return (input.startsWith(Path.of(System.getProperty("java.home")).toRealPath())
                            || List.of(System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
                                    .contains(input.toString()))
                    && isOpenOnce(input);
        } catch (IOException noFile) {
            return false;
        }
    }
}
