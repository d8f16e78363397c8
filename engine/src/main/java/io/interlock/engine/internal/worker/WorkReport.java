package io.interlock.engine.internal.worker;

import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunTexts;
import io.interlock.time.LocalTime.Moment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What work has reported and was not sent to the store yet. Every stage is sent, in order; of progress only the last report.
 * Safe for use by many threads.
 */
public final class WorkReport {

    private static final int MOST_STAGES = 1000;

    private final Deque<String> untold = new ArrayDeque<>();
    private @Nullable Progress progress;
    private @Nullable Entered current;

    /** A stage the work is at. */
    record Entered(String name, Moment since) {}

    /**
     * What a heartbeat carries.
     *
     * @param progress the last report of it, or {@code null} if that was sent
     */
    record Words(@Nullable String stage, @Nullable Progress progress) {

        static final Words NONE = new Words(null, null);

        boolean isNews() {
            return stage != null || progress != null;
        }
    }

    /** The work enters a stage: the one it was at before, or {@code null}. */
    synchronized @Nullable Entered enter(String stage, Moment now) {
        RunTexts.require("stage", stage, "name the part of the work in one line");
        Entered before = current;
        if (before != null && before.name().equals(stage)) {
            return before;
        }
        current = new Entered(stage, now);
        if (untold.size() < MOST_STAGES) {
            untold.addLast(stage);
        }
        return before;
    }

    /** Notes how far the work is. Returns whether all earlier reports of it were sent. */
    synchronized boolean progress(Progress word) {
        boolean first = progress == null;
        progress = word;
        return first;
    }

    /** Whether there is a report of progress that was not sent. */
    synchronized boolean hasProgress() {
        return progress != null;
    }

    synchronized Optional<Entered> current() {
        return Optional.ofNullable(current);
    }

    synchronized Words next() {
        // With the last stage, not before: it would look as if it belonged to another one.
        return new Words(untold.peekFirst(), untold.size() <= 1 ? progress : null);
    }

    /** The store has {@code words}. Returns whether there are more stages to send. */
    synchronized boolean told(Words words) {
        if (words.stage() != null && words.stage().equals(untold.peekFirst())) {
            untold.removeFirst();
        }
        if (words.progress() != null && words.progress().equals(progress)) {
            progress = null;
        }
        return !untold.isEmpty();
    }

    /** ", at stage load", or nothing if the work named none. */
    String where() {
        return current().map(stage -> ", at stage " + stage.name()).orElse("");
    }
}
