package io.interlock.engine.command;

import java.time.Duration;
import java.util.Locale;

/**
 * How long a command may go on without another word from this process. The guard counts in ticks of its own clock, whose pace is set
 * by the first word. Safe for use by many threads.
 */
final class Leash {

    private static final int TICKS = 24;
    private static final Duration SHORTEST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Guard guard;
    private Duration pace = Duration.ZERO;

    Leash(Guard guard) {
        this.guard = guard;
    }

    synchronized void extend(Duration time) {
        if (pace.isZero()) {
            pace = within(time.dividedBy(TICKS));
            guard.tell(String.format(Locale.ROOT, "pace %d.%03d", pace.toSeconds(), pace.toMillisPart()));
        }
        // The clock may be about to tick; and it takes a tick to notice that none is left.
        guard.tell("leash " + Math.max(0, time.dividedBy(pace) - 1));
    }

    private static Duration within(Duration pace) {
        return pace.compareTo(SHORTEST) < 0 ? SHORTEST : pace.compareTo(LONGEST) > 0 ? LONGEST : pace;
    }
}
