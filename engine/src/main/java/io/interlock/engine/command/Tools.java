package io.interlock.engine.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this machine offers for guarding processes.
 *
 * @param setsid starts a program in a session of its own
 * @param exact whether {@code setsid} can wait, and so tell a signal from an exit code
 */
record Tools(String sh, String setsid, boolean exact) {

    private static final Logger log = LoggerFactory.getLogger(Tools.class);

    private static final int PROBE = 7;

    /** The tools of this machine, or empty if it has too few; looked for once. */
    static Optional<Tools> here() {
        return Found.TOOLS;
    }

    /** The text of a script beside this class, without its comments: it is seen by people who list processes. */
    static String script(String name) {
        try (InputStream in = Tools.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the script " + name + " is missing from the jar");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> !line.isBlank() && !line.stripLeading().startsWith("#"))
                    .collect(Collectors.joining("\n"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static Optional<Tools> look() {
        Optional<String> sh = find("sh");
        Optional<String> setsid = find("setsid");
        if (sh.isEmpty()
                || setsid.isEmpty()
                || find("grep").isEmpty()
                || !Files.isReadable(Path.of("/proc/self/stat"))) {
            log.warn(
                    "sh, setsid, grep or /proc is missing here: if this process is killed with kill -9, commands it has"
                            + " started go on; install util-linux and grep, and mount /proc");
            return Optional.empty();
        }
        return Optional.of(new Tools(sh.get(), setsid.get(), canWait(setsid.get(), sh.get())));
    }

    private static Optional<String> find(String name) {
        return Stream.of("/usr/bin/", "/bin/", "/usr/local/bin/", "/usr/sbin/", "/sbin/")
                .map(directory -> directory + name)
                .filter(path -> Files.isExecutable(Path.of(path)))
                .findFirst();
    }

    private static boolean canWait(String setsid, String sh) {
        try {
            Process probe = new ProcessBuilder(setsid, "--fork", "--wait", sh, "-c", "exit " + PROBE)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            probe.getOutputStream().close();
            return probe.waitFor(10, TimeUnit.SECONDS) && probe.exitValue() == PROBE;
        } catch (IOException cannot) {
            return false;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static final class Found {
        static final Optional<Tools> TOOLS = look();
    }
}
