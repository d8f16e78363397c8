package io.interlock.engine.command;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Parts the output of a command into reports and text for people, whatever the command writes.
 *
 * <p>Holds at most one line that may become a report, and no more of that than a report can have; everything else is passed on as
 * it comes. Control characters are made visible, so that nobody's terminal and no database stumbles over them; {@code \r} ends a
 * line as {@code \n} does. Used by one thread.
 */
final class OutputSplitter {

    private static final int CONTROL_PICTURES = 0x2400;

    private final Predicate<ReportLine> reports;
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
     * @param text takes the rest
     */
    OutputSplitter(Predicate<ReportLine> reports, Consumer<String> text) {
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

    /** There is nothing more. */
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
        return length <= ReportLine.PREFIX.length()
                ? line.charAt(length - 1) == ReportLine.PREFIX.charAt(length - 1)
                : length <= ReportLine.LONGEST;
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
        if (!candidate || line.length() <= ReportLine.PREFIX.length()) {
            return false;
        }
        Optional<ReportLine> report = ReportLine.parse(line.toString());
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
}
