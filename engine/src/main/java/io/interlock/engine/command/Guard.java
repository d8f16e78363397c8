package io.interlock.engine.command;

import io.interlock.time.Environment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The small process that watches over a command ({@code guard.sh}). It notices the death of this process, whatever the cause, by
 * the end of a pipe, and then kills everything the command has started.
 *
 * <p>One thread reads; any may write.
 */
final class Guard {

    private static final String TEXT = Tools.script("guard.sh");

    private final String mark;
    private final Process process;
    private final Writer orders;
    private final BufferedReader words;

    private Guard(String mark, Process process) {
        this.mark = mark;
        this.process = process;
        orders = process.outputWriter(StandardCharsets.UTF_8);
        words = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts one, with a mark of its own. */
    static Guard start(Tools tools, Environment environment) throws IOException {
        return start(
                tools,
                HexFormat.of().toHexDigits(environment.random().nextLong())
                        + HexFormat.of().toHexDigits(environment.random().nextLong()));
    }

    /** Starts one in place of another that was killed. */
    static Guard start(Tools tools, String mark) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(tools.setsid(), tools.sh(), "-c", TEXT, "interlock-guard", mark)
                .redirectError(Redirect.DISCARD);
        // Nothing of this process's environment: it may be guarded itself, and the guard's grep needs nothing.
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin");
        builder.environment().put("LC_ALL", "C");
        return new Guard(mark, builder.start());
    }

    /** What everything it watches over has in its environment. */
    String mark() {
        return mark;
    }

    long pid() {
        return process.pid();
    }

    /** Runs {@code task} if it ends before its work is done. */
    void onDeath(Runnable task) {
        var unused = process.onExit().thenAccept(ended -> {
            if (ended.exitValue() != 0) {
                task.run();
            }
        });
    }

    /** Gives it an order; nothing happens if it is dead: {@link #onDeath} reports that. */
    synchronized void tell(String order) {
        try {
            orders.write(order + "\n");
            orders.flush();
        } catch (IOException dead) {
            // See onDeath.
        }
    }

    /** The next thing it says, or {@code null} if there is nothing more. */
    @Nullable
    String next() {
        try {
            return words.readLine();
        } catch (IOException closed) {
            return null;
        }
    }

    /** Ends all it watches over, and lets go of it when nothing is left. */
    void end() {
        tell("end");
        String word = next();
        while (word != null && !word.equals("over")) {
            word = next();
        }
        close();
    }

    /** Lets go of it, after its last word. */
    void close() {
        try (words;
                orders) {
            // Closing is all there is to do.
        } catch (IOException dead) {
            // It has ended anyway.
        }
    }

    /**
     * How long a command may go on without another word from this process. Both it and the guard go by the machine's time since it was
     * started, and the guard looks at it at a pace that the first word sets. Safe for use by many threads.
     */
    static final class Leash {

        private static final Logger log = LoggerFactory.getLogger(Leash.class);
        private static final Path UPTIME = Path.of("/proc/uptime");
        private static final int LOOKS = 24;
        private static final Duration SHORTEST = Duration.ofMillis(50);
        private static final Duration LONGEST = Duration.ofSeconds(5);

        private final Guard guard;
        private Duration pace = Duration.ZERO;

        Leash(Guard guard) {
            this.guard = guard;
        }

        synchronized void extend(Supplier<Duration> left, Duration more) {
            Duration now;
            try {
                // Before anything else: what is left was so at the earliest then.
                now = uptime();
            } catch (IOException | NumberFormatException unknown) {
                log.warn("could not extend the time of a command: {}", unknown.toString());
                return;
            }
            Duration known = left.get();
            if (known.isZero()) {
                return;
            }
            Duration time = known.plus(more);
            if (pace.isZero()) {
                pace = within(time.dividedBy(LOOKS));
                guard.tell("pace " + BigDecimal.valueOf(pace.toMillis(), 3));
            }
            // It may have looked just before.
            guard.tell("leash " + now.plus(time).minus(pace).toMillis() / 10);
        }

        private static Duration uptime() throws IOException {
            String text = Files.readString(UPTIME);
            return Duration.ofMillis(
                    10 * Long.parseLong(text.substring(0, text.indexOf(' ')).replace(".", "")));
        }

        private static Duration within(Duration pace) {
            return pace.compareTo(SHORTEST) < 0 ? SHORTEST : pace.compareTo(LONGEST) > 0 ? LONGEST : pace;
        }
    }

    /**
     * What this machine offers for guarding processes.
     *
     * @param exact whether {@code setsid} can wait, and so tell a signal from an exit code
     */
    record Tools(String sh, String setsid, boolean exact) {

        private static final Logger log = LoggerFactory.getLogger(Tools.class);

        private static final int PROBE = 7;
        private static final Optional<Tools> HERE = look();

        /** The tools of this machine, or empty if it has too few; looked for once. */
        static Optional<Tools> here() {
            return HERE;
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
    }
}
