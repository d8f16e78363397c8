package io.interlock.cli.text;

import io.interlock.service.PlainText;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The two streams of this process. Answers go to stdout; whatever Interlock says of itself goes to stderr behind
 * {@code interlock: }. Control characters of others are shown as text. Safe for use by many threads.
 */
public final class Console {

    private static final String PREFIX = "interlock: ";
    private static final String CLEAR = "\r\u001b[K";

    // A line longer than the terminal is wide is cut by it, instead of being continued where no later line replaces it.
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";

    // The message of writes to a pipe without a reader.
    private static final String GONE = "Broken pipe";

    private final Answers answers;
    private final PrintStream out;
    private final PrintStream err;
    private final Ends ends;
    private boolean pendingLine;

    /** What the two streams can do. */
    private record Ends(boolean outTerminal, boolean outPipe, boolean errTerminal, boolean dumb, boolean colour) {
        static final Ends NO_TERMINALS = new Ends(false, false, false, true, false);
    }

    private Console(OutputStream out, PrintStream err, Ends ends) {
        this.answers = new Answers(out);
        this.out = new PrintStream(answers, false, StandardCharsets.UTF_8);
        this.err = err;
        this.ends = ends;
    }

    /** That of this process. Always UTF-8: a key must look the same in every locale. */
    public static Console ofProcess(Map<String, String> environment) {
        boolean dumb = environment.getOrDefault("TERM", "dumb").equals("dumb");
        boolean colour = !dumb && environment.getOrDefault("NO_COLOR", "").isEmpty();
        return new Console(
                new FileOutputStream(FileDescriptor.out),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                new Ends(Terminal.is(1), Terminal.isPipe(1), Terminal.is(2), dumb, colour));
    }

    /** Two streams that are no terminals. */
    public static Console of(PrintStream out, PrintStream err) {
        return new Console(out, err, Ends.NO_TERMINALS);
    }

    /** Whether answers go to a terminal. */
    public boolean hasTerminal() {
        return ends.outTerminal();
    }

    /** How wide the terminal is on which the answers are read; empty if they go elsewhere. */
    public OptionalInt width() {
        return ends.outTerminal() ? Terminal.width() : OptionalInt.empty();
    }

    /** Whether messages go to a terminal. */
    public boolean hasErrorTerminal() {
        return ends.errTerminal();
    }

    /** Whether a message may be written over by the next one. */
    public boolean canUpdate() {
        return ends.errTerminal() && !ends.dumb();
    }

    /** Whether a user can be asked. */
    public boolean canAsk() {
        return ends.errTerminal() && Terminal.is(0);
    }

    public void print(String line) {
        out.println(PlainText.lines(line));
    }

    /** For picocli, which writes its answers itself. */
    public PrintWriter writer() {
        return new PrintWriter(out, true, StandardCharsets.UTF_8);
    }

    /** Writes a message, after the prefix. */
    public synchronized void say(String message) {
        raw(PREFIX + message);
    }

    /**
     * Writes a line that belongs to the message before. Where it lands among the lines of others, as in a log, it has the prefix too;
     * on a terminal people may want to take a command from it.
     */
    public synchronized void more(String line) {
        raw((ends.errTerminal() ? "" : PREFIX) + "  " + line);
    }

    public synchronized void raw(String line) {
        err.print((pendingLine ? CLEAR : "") + PlainText.lines(line) + "\n");
        err.flush();
        pendingLine = false;
    }

    /** Writes a message that the next one replaces; only for terminals. */
    public synchronized void update(String message) {
        err.print(CLEAR + NO_WRAP + PREFIX + PlainText.lines(message) + WRAP);
        err.flush();
        pendingLine = true;
    }

    /** Asks, and takes whatever begins with y for yes. */
    public boolean confirm(String question) {
        err.print(PREFIX + PlainText.lines(question) + " [y/N] ");
        err.flush();
        StringBuilder answer = new StringBuilder();
        try {
            for (int c = System.in.read(); c >= 0 && c != '\n'; c = System.in.read()) {
                answer.append((char) c);
            }
        } catch (IOException unread) {
            return false;
        }
        return answer.toString().strip().toLowerCase(Locale.ROOT).startsWith("y");
    }

    /** Writes the line above a table, in bold if answers go to a terminal that has that. */
    void printTitle(String line) {
        String shown = PlainText.lines(line);
        out.println(ends.colour() && ends.outTerminal() ? BOLD + shown + PLAIN : shown);
    }

    /** Writes an answer as it is, control characters included: only for what was asked for in this way. */
    public void printRaw(String line) {
        out.println(line);
    }

    /** Flushes both streams; false if the answers have no reader any more. */
    public boolean flush() {
        err.flush();
        return !out.checkError();
    }

    /** Why answers could not be written; empty if the reader of a pipe has closed it, which is no error. */
    public Optional<String> unwritten() {
        out.flush();
        return answers.failure()
                .map(failure -> String.valueOf(failure.getMessage()))
                .filter(why -> !why.equals(GONE) && !ends.outPipe());
    }

    /** Remembers why a write failed; a {@code PrintStream} only knows that it did. */
    static final class Answers extends FilterOutputStream {

        private volatile @Nullable IOException failure;

        Answers(OutputStream out) {
            super(out);
        }

        Optional<IOException> failure() {
            return Optional.ofNullable(failure);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException unwritten) {
                failure = unwritten;
                throw unwritten;
            }
        }
    }

    /** The terminal of this process. Java itself does not tell for one stream alone. */
    static final class Terminal {

        private Terminal() {}

        /** Whether this descriptor is a terminal: by /proc, else by a shell. */
        static boolean is(int descriptor) {
            if (!Files.isSymbolicLink(link(descriptor))) {
                return askShell(descriptor);
            }
            String target = target(descriptor);
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        }

        /** Whether this descriptor is a pipe or socket, whose reader may close it; as far as Linux tells. */
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

        /** How many columns the terminal of stdout has; empty if that is unknown. */
        static OptionalInt width() {
            try {
                Process stty = new ProcessBuilder("stty", "size")
                        .redirectInput(new File("/dev/stdout"))
                        .redirectError(Redirect.DISCARD)
                        .start();
                String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                int columns =
                        Integer.parseInt(size.substring(size.indexOf(' ') + 1).strip());
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
}
