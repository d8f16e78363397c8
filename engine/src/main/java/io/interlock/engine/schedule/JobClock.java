package io.interlock.engine.schedule;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.StoreUnavailableException;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Knows up to when one job's schedule has been looked at, and what of it has still to be submitted. */
final class JobClock {

    /** How late a start may be and still count as in time: machines pause, and timers are not exact. */
    static final Duration IN_TIME = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(JobClock.class);
    private static final Duration SMALL_STEP = Duration.ofSeconds(1);
    private static final Duration FIRST_REST = Duration.ofSeconds(1);
    private static final Duration LONGEST_REST = Duration.ofSeconds(30);
    // Nobody knows for longer whether another process has submitted it: its idempotency key may no longer count.
    private static final Duration TRY_FOR = Duration.ofHours(23);

    private final ScheduledJob scheduled;
    private final ScheduledStart submitter;
    private final Environment environment;
    private final Timers timers;
    private Instant lookedAt;
    private @Nullable Instant fired;
    private boolean submitted;

    JobClock(ScheduledJob scheduled, ScheduledStart submitter, Environment environment, Timers timers) {
        this.scheduled = scheduled;
        this.submitter = submitter;
        this.environment = environment;
        this.timers = timers;
        lookedAt = environment.clock().instant().minus(scheduled.catchUp());
    }

    ScheduledJob scheduled() {
        return scheduled;
    }

    /** Submits what has become due, if anything has, and returns the next time, if there is one. */
    synchronized @Nullable Instant look(Instant now) {
        if (now.isBefore(lookedAt)) {
            turnedBack(now);
        }
        Instant first = scheduled.times().next(lookedAt).orElse(null);
        if (first != null && !first.isAfter(now)) {
            due(first, now);
        }
        lookedAt = now;
        return scheduled.times().next(now).orElse(null);
    }

    // Times that come again are submitted again, under the same idempotency keys: they start nothing that was started.
    private void turnedBack(Instant now) {
        Duration back = Duration.between(now, lookedAt);
        if (back.compareTo(SMALL_STEP) > 0) {
            log.warn(
                    "the clock was set back by {}; starts of {} between {} and {} come again and are recognised by their"
                            + " time for 24h",
                    DurationText.format(back),
                    scheduled.job(),
                    now,
                    lookedAt);
        }
    }

    private void due(Instant first, Instant now) {
        Duration window = scheduled.catchUp().compareTo(IN_TIME) > 0 ? scheduled.catchUp() : IN_TIME;
        Instant from = now.minus(window);
        Instant last = scheduled.times().last(from.isAfter(lookedAt) ? from : lookedAt, now);
        if (last == null || first.isBefore(last)) {
            log.warn(
                    "starts of {} were missed from {} on: nobody was there, or the clock was set forward; {}",
                    scheduled.job(),
                    first,
                    last == null ? "all are skipped" : "only that of " + last + " is made up for");
        }
        if (last != null && !last.equals(fired)) {
            fire(last);
        }
    }

    private void fire(Instant fireTime) {
        if (fired != null && !submitted) {
            log.error("the start of {} at {} could not be submitted until the next one", scheduled.job(), fired);
        }
        fired = fireTime;
        submitted = false;
        submit(fireTime, FIRST_REST);
    }

    private void submit(Instant fireTime, Duration rest) {
        var unused = stage(fireTime).whenComplete((answer, failure) -> {
            if (failure == null) {
                succeeded(fireTime);
            } else {
                failed(fireTime, rest, failure instanceof CompletionException ? failure.getCause() : failure);
            }
        });
    }

    private CompletionStage<?> stage(Instant fireTime) {
        try {
            return submitter.submit(scheduled.job(), scheduled.key(), fireTime, scheduled.idempotencyKey(fireTime));
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private synchronized void succeeded(Instant fireTime) {
        if (fireTime.equals(fired)) {
            submitted = true;
        }
    }

    private synchronized void failed(Instant fireTime, Duration rest, @Nullable Throwable failure) {
        if (!fireTime.equals(fired)) {
            return;
        }
        Duration late = Duration.between(fireTime, environment.clock().instant());
        if (isFinal(failure) || late.compareTo(TRY_FOR) > 0) {
            submitted = true;
            log.error("the start of {} at {} is given up: {}", scheduled.job(), fireTime, String.valueOf(failure));
            return;
        }
        if (rest.equals(FIRST_REST)) {
            log.warn(
                    "the start of {} at {} could not be submitted and is tried again until the next one: {}",
                    scheduled.job(),
                    fireTime,
                    String.valueOf(failure));
        }
        Duration longer = rest.multipliedBy(2);
        timers.after(jittered(rest), () -> again(fireTime, longer.compareTo(LONGEST_REST) < 0 ? longer : LONGEST_REST));
    }

    /** Whether asking again would be answered in the same way. */
    private static boolean isFinal(@Nullable Throwable failure) {
        return failure instanceof InterlockException && !(failure instanceof StoreUnavailableException);
    }

    private synchronized void again(Instant fireTime, Duration rest) {
        if (fireTime.equals(fired) && !submitted) {
            submit(fireTime, rest);
        }
    }

    private Duration jittered(Duration rest) {
        return Duration.ofNanos(
                (long) (rest.toNanos() * (0.5 + environment.random().nextDouble() / 2)));
    }
}
