package io.interlock.server.operation;

import io.interlock.service.Facts;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Answers that took long to work out, given again for a while: any number of open pages asks the store for at most a fifth of the time.
 * An answer that took less than {@link #CHEAP} is never given twice. Each carries the time it is of. Safe for use by many threads.
 */
final class SharedAnswers {

    /** What is worked out for each request. */
    static final Duration CHEAP = Duration.ofMillis(100);

    private static final int TIMES = 4;
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final int MOST = 1000;

    private final Ticker ticker;
    private final Map<String, Kept> kept = new ConcurrentHashMap<>();

    private record Kept(Facts answer, long until) {}

    SharedAnswers(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The answer to the question of {@code tenant}: one that is kept, or what {@code ask} says. */
    Facts of(String tenant, Supplier<Facts> ask) {
        long begun = ticker.nanos();
        Kept known = kept.get(tenant);
        if (known != null && known.until() - begun > 0) {
            return known.answer();
        }
        Facts answer = ask.get();
        long now = ticker.nanos();
        if (now - begun > CHEAP.toNanos()) {
            if (kept.size() >= MOST) {
                kept.values().removeIf(old -> old.until() - now <= 0);
            }
            kept.put(tenant, new Kept(answer, now + Math.min(TIMES * (now - begun), LONGEST.toNanos())));
        } else {
            kept.remove(tenant);
        }
        return answer;
    }
}
