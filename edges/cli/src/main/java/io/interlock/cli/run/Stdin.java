package io.interlock.cli.run;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

/** The input this process was given. */
final class Stdin {

    private static final Path OURS = Path.of("/proc/self/fd/0");

    private Stdin() {}

    /**
     * Where the command's input comes from. If ours was closed, its number is that of the first file the JVM has opened, which is
     * nobody's input.
     */
    static Redirect ofCommand() {
        return isFileOfTheJvm() ? Redirect.from(new File("/dev/null")) : Redirect.INHERIT;
    }

    private static boolean isFileOfTheJvm() {
        try {
            Path input = OURS.toRealPath();
            return input.startsWith(Path.of(System.getProperty("java.home")).toRealPath())
                    || List.of(System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
                            .contains(input.toString());
        } catch (IOException noFile) {
            return false;
        }
    }
}
