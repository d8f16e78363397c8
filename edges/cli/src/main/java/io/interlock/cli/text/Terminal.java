package io.interlock.cli.text;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/** What can be found out about the terminal of this process. Java itself does not tell for one stream alone. */
final class Terminal {

    private Terminal() {}

    /** Whether this descriptor is one. Linux tells, and elsewhere a shell can be asked. */
    static boolean is(int descriptor) {
        if (!Files.isSymbolicLink(link(descriptor))) {
            return askShell(descriptor);
        }
        String target = target(descriptor);
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    /** Whether somebody else reads what is written to this descriptor, and may stop to; as far as Linux tells. */
    static boolean isPipe(int descriptor) {
        String target = target(descriptor);
        return target.startsWith("pipe:") || target.startsWith("socket:");
    }

    private static Path link(int descriptor) {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(link(descriptor)).toString();
        } catch (IOException unreadable) {
            return "";
        }
    }

    /** How many columns the one has that stdout is; empty if nobody can say. */
    static OptionalInt width() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/stdout"))
                    .redirectError(Redirect.DISCARD)
                    .start();
            String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int columns = Integer.parseInt(size.substring(size.indexOf(' ') + 1).strip());
            return columns > 0 ? OptionalInt.of(columns) : OptionalInt.empty();
        } catch (IOException | NumberFormatException unknown) {
            return OptionalInt.empty();
        }
    }

    private static boolean askShell(int descriptor) {
        try {
            return new ProcessBuilder("sh", "-c", "test -t " + descriptor)
                            .inheritIO()
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noShell) {
            return false;
        } catch (InterruptedException told) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
