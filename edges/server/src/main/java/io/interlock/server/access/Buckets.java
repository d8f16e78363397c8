package io.interlock.server.access;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import io.interlock.time.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counts how often each of many does something, and says who must wait. Bounded: beyond a number of names, newcomers share
 * one bucket until others have been quiet for a second. Safe for use by many threads.
 */
public final class Buckets {

    private static final int MOST = 10_000;
    private static final String OTHERS = "_other";

    private final int perSecond;
    private final TimeMeter time;
    private final ConcurrentMap<String, Bucket> buckets = new ConcurrentHashMap<>();

    /** Lets everybody do something {@code perSecond} times a second, and as often at once. */
    public Buckets(int perSecond, Ticker ticker) {
        this.perSecond = perSecond;
        this.time = new TimeMeter() {
            @Override
            public long currentTimeNanos() {
                return ticker.nanos();
            }

            @Override
            public boolean isWallClockBased() {
                return false;
            }
        };
    }

    /** How often in a second. */
    public int perSecond() {
        return perSecond;
    }

    /** Takes one; if there is none left, says how long to wait for the next. */
    public Optional<Duration> take(String who) {
        ConsumptionProbe probe = bucket(who).tryConsumeAndReturnRemaining(1);
        return probe.isConsumed() ? Optional.empty() : Optional.of(Duration.ofNanos(probe.getNanosToWaitForRefill()));
    }

    /** Whether there is none left, without taking one. */
    public boolean isEmpty(String who) {
        Bucket bucket = buckets.get(who);
        return bucket != null && bucket.getAvailableTokens() == 0;
    }

    private Bucket bucket(String who) {
        Bucket known = buckets.get(who);
        if (known != null) {
            return known;
        }
        if (buckets.size() >= MOST) {
            // A full bucket says nothing that a new one would not say.
            buckets.values().removeIf(bucket -> bucket.getAvailableTokens() >= perSecond);
        }
        return buckets.computeIfAbsent(buckets.size() < MOST ? who : OTHERS, name -> fresh());
    }

    private Bucket fresh() {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(perSecond).refillGreedy(perSecond, Duration.ofSeconds(1)))
                .withCustomTimePrecision(time)
                .build();
    }
}
