package io.interlock.engine.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long a command may go on without another word from this process. Both it and the guard go by the machine's time since it was
 * started, and the guard looks at it at a pace that the first word sets. Safe for use by many threads.
 */
final class Leash {

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
            log.warn("how long a command may go on cannot be told: {}", unknown.toString());
            return;
        }
        Duration known = left.get();
        if (known.isZero()) {
            return;
        }
        Duration time = known.plus(more);
        if (pace.isZero()) {
            pace = within(time.dividedBy(LOOKS));
            guard.tell(String.format(Locale.ROOT, "pace %d.%03d", pace.toSeconds(), pace.toMillisPart()));
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
