package io.interlock.cli.run;

import io.interlock.InvalidSettingException;
import io.interlock.cli.backend.HeldKey;
import io.interlock.run.Progress;
import io.interlock.time.Timers;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Passes on what the child says of itself. It looks a few times a second, which costs less than a store would notice. */
public final class Reports {

    /** Begins the line that names a stage. */
    public static final String STAGE = "stage ";

    /** Begins the line that says how far the work is. */
    public static final String PROGRESS = "progress ";

    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    private final RunFile file;
    private final HeldKey held;
    private final Timers timers;
    private boolean closed;

    Reports(RunFile file, HeldKey held, Timers timers) {
        this.file = file;
        this.held = held;
        this.timers = timers;
    }

    void start() {
        timers.after(LOOK_EVERY, () -> {
            if (look()) {
                start();
            }
        });
    }

    /** Passes on the last words. */
    void close() {
        look();
        synchronized (this) {
            closed = true;
        }
    }

    private synchronized boolean look() {
        if (closed) {
            return false;
        }
        try {
            file.news().forEach(this::passOn);
            return true;
        } catch (IOException gone) {
            // The child deleted it, so it has nothing to say.
            closed = true;
            return false;
        }
    }

    private void passOn(String line) {
        try {
            if (line.startsWith(STAGE)) {
                held.stage(line.substring(STAGE.length()));
            } else if (line.startsWith(PROGRESS)) {
                Progress progress = progress(line.substring(PROGRESS.length()));
                held.progress(progress.done(), progress.total());
            }
        } catch (InvalidSettingException nonsense) {
            // The command that wrote it would have refused it; whoever wrote it by hand is not to lose the work over
            // it.
        }
    }

    /** Reads {@code N} or {@code N/TOTAL}. */
    public static Progress progress(String text) {
        int slash = text.indexOf('/');
        String done = slash < 0 ? text : text.substring(0, slash);
        @Nullable Long total = slash < 0 ? null : Long.valueOf(number(text, text.substring(slash + 1)));
        return new Progress(number(text, done), total);
    }

    private static long number(String all, String part) {
        try {
            return Long.parseLong(part.strip());
        } catch (NumberFormatException none) {
            throw new InvalidSettingException("progress", all, "is no number", "write N or N/TOTAL, as in 12/20");
        }
    }
}
