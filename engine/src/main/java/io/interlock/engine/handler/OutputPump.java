package io.interlock.engine.handler;

import io.interlock.engine.RunContext;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunTexts;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what a command writes, to the last byte, so that it never has to wait for a reader; reports to the run's context, and
 * remembers the last lines. Its memory does not depend on how much there is.
 */
final class OutputPump implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(OutputPump.class);

    private static final int BUFFER = 32 * 1024;
    private static final int LAST_LINES = 2000;

    private final InputStream output;
    private final RunContext context;
    private final int tail;
    private final OutputSplitter splitter = new OutputSplitter(this::report, this::keep);
    private String last = "";
    private @Nullable String result;

    OutputPump(InputStream output, RunContext context, int tail) {
        this.output = output;
        this.context = context;
        this.tail = tail;
    }

    @Override
    public void run() {
        try {
            pump();
        } catch (IOException closed) {
            log.debug("the output of run {} ended: {}", context.run().id(), closed.toString());
        }
        splitter.end();
    }

    synchronized String lastLines() {
        return last.strip();
    }

    synchronized @Nullable String result() {
        return result;
    }

    private void pump() throws IOException {
        // What is no UTF-8 becomes U+FFFD.
        Reader text = new InputStreamReader(output, StandardCharsets.UTF_8);
        char[] buffer = new char[BUFFER];
        for (int read = text.read(buffer); read >= 0; read = text.read(buffer)) {
            splitter.take(CharBuffer.wrap(buffer, 0, read));
        }
    }

    private boolean report(OutputSplitter.Report report) {
        try {
            if (report.stage() != null) {
                context.stage(report.stage());
            }
            Progress progress = report.progress();
            if (progress != null) {
                context.progress(progress.done(), progress.total() == null ? progress.done() : progress.total());
            }
        } catch (RuntimeException refused) {
            log.warn("run {} could not report {}: {}", context.run().id(), report, refused.toString());
            return false;
        }
        if (report.result() != null) {
            synchronized (this) {
                result = report.result();
            }
        }
        return true;
    }

    private void keep(String text) {
        synchronized (this) {
            last = RunTexts.end(last + RunTexts.end(text, LAST_LINES), LAST_LINES);
        }
        if (tail == 0) {
            return;
        }
        try {
            context.output(RunTexts.end(text, tail));
        } catch (RuntimeException refused) {
            // The command must not stand still because its output is not taken.
            log.warn("output of run {} could not be kept: {}", context.run().id(), refused.toString());
        }
    }

    /**
     * Parts the output of a command into reports and text for people, whatever the command writes.
     *
     * <p>Holds at most one line that may become a report, and no more of that than a report can have; everything else is passed on as
     * it comes. Control characters are made visible, so that no terminal and no database stumbles over them; {@code \r} ends a
     * line as {@code \n} does. Used by one thread.
     */
    static final class OutputSplitter {

        private static final int CONTROL_PICTURES = 0x2400;

        private final Predicate<Report> reports;
        private final Consumer<String> text;
        private final StringBuilder line = new StringBuilder();
        private final StringBuilder passing = new StringBuilder();

        /** Whether the current line may still be a report. */
        private boolean candidate = true;

        private boolean afterReturn;

        /**
         * Splits.
         *
         * @param reports takes a report, or says no, and then it is text
         */
        OutputSplitter(Predicate<Report> reports, Consumer<String> text) {
            this.reports = reports;
            this.text = text;
        }

        /** Takes what came next, and passes on what can be. */
        void take(CharSequence output) {
            for (int i = 0; i < output.length(); i++) {
                take(output.charAt(i));
            }
            pass();
        }

        void end() {
            if (candidate && line.length() > 0) {
                endOfLine(false);
            }
            pass();
        }

        private void take(char c) {
            boolean secondHalf = c == '\n' && afterReturn;
            afterReturn = c == '\r';
            if (secondHalf) {
                return;
            }
            if (c == '\n' || c == '\r') {
                endOfLine(true);
            } else if (candidate) {
                line.append(c);
                if (!mayBeReport()) {
                    giveUp();
                }
            } else {
                passing.append(visible(c));
            }
        }

        private boolean mayBeReport() {
            int length = line.length();
            return length <= Report.PREFIX.length()
                    ? line.charAt(length - 1) == Report.PREFIX.charAt(length - 1)
                    : length <= Report.LONGEST;
        }

        private void endOfLine(boolean newline) {
            if (!isReport()) {
                giveUp();
                if (newline) {
                    passing.append('\n');
                }
            }
            line.setLength(0);
            candidate = true;
        }

        private boolean isReport() {
            if (!candidate || line.length() <= Report.PREFIX.length()) {
                return false;
            }
            Optional<Report> report = Report.parse(line.toString());
            return report.isPresent() && reports.test(report.get());
        }

        private void giveUp() {
            line.chars().forEach(c -> passing.append(visible((char) c)));
            line.setLength(0);
            candidate = false;
        }

        private void pass() {
            if (passing.length() > 0) {
                text.accept(passing.toString());
                passing.setLength(0);
            }
        }

        private static char visible(char c) {
            if (c == '\t' || (c >= ' ' && c < 0x7f)) {
                return c;
            }
            if (c < ' ') {
                return (char) (CONTROL_PICTURES + c);
            }
            return c < 0xa0 ? '\ufffd' : c;
        }

        /**
         * A line by which a command reports: {@code ::interlock stage=load progress=12/20}, {@code ::interlock progress=60%} or
         * {@code ::interlock result={"rows":17}}.
         *
         * @param result what it brought forth, as JSON of at most 64 KiB, or {@code null}
         */
        record Report(
                @Nullable String stage,
                @Nullable Progress progress,
                @Nullable String result) {

            static final String PREFIX = "::interlock ";

            /** The longest line that can be a report. */
            static final int LONGEST = PREFIX.length() + "result=".length() + RunTexts.MAX_BODY;

            private static final String RESULT = "result=";
            private static final Pattern PART = Pattern.compile("(stage|progress)=(\\S+)");
            private static final Pattern PROGRESS = Pattern.compile("(\\d{1,18})(?:/(\\d{1,18})|%)");

            /** Reads a line that begins with {@link #PREFIX}; empty if it makes no sense, and so is output like any other. */
            static Optional<Report> parse(String line) {
                String said = line.substring(PREFIX.length()).strip();
                return said.startsWith(RESULT) ? result(said.substring(RESULT.length())) : parts(said);
            }

            private static Optional<Report> result(String json) {
                boolean fits =
                        json.getBytes(StandardCharsets.UTF_8).length <= RunTexts.MAX_BODY && JsonText.isValid(json);
                return fits ? Optional.of(new Report(null, null, json)) : Optional.empty();
            }

            private static Optional<Report> parts(String said) {
                String stage = null;
                Progress progress = null;
                for (String part : said.split("\\s+", -1)) {
                    Matcher matcher = PART.matcher(part);
                    if (!matcher.matches()) {
                        return Optional.empty();
                    }
                    if (matcher.group(1).equals("stage")) {
                        stage = stage == null ? stage(matcher.group(2)) : null;
                        if (stage == null) {
                            return Optional.empty();
                        }
                    } else {
                        progress = progress == null ? progress(matcher.group(2)) : null;
                        if (progress == null) {
                            return Optional.empty();
                        }
                    }
                }
                return Optional.of(new Report(stage, progress, null));
            }

            private static @Nullable String stage(String name) {
                boolean plain = name.codePoints().noneMatch(Character::isISOControl);
                return plain && name.getBytes(StandardCharsets.UTF_8).length <= RunTexts.MAX_LINE ? name : null;
            }

            private static @Nullable Progress progress(String text) {
                Matcher matcher = PROGRESS.matcher(text);
                if (!matcher.matches()) {
                    return null;
                }
                long done = Long.parseLong(matcher.group(1));
                long total = matcher.group(2) == null ? 100 : Long.parseLong(matcher.group(2));
                return done <= total ? new Progress(done, total) : null;
            }
        }
    }
}
