package io.interlock.engine.schedule;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.locks.runtime.Backoff;
import io.interlock.run.JobName;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits runs at the times their jobs name. Any number of processes may do so for the same jobs: each start carries
 * {@code schedule/<job>/<time>} as idempotency key, so one run starts, by whichever process comes first.
 *
 * <p>This process's wall clock says when it is time; it is looked at again at least every half minute, so that a clock that
 * was set is noticed.
 *
 * <ul>
 *   <li>Set forward, or a machine that slept: up to a minute late is in time; of times missed for longer only the last one
 *       is made up for, if it is within the job's catch-up, and the rest is skipped and logged.
 *   <li>Set back: times come again, and are recognised by their idempotency keys while these count.
 *   <li>A store that is away, or a tenant with as many open runs as it may have: the start is tried again until the next one is due, for
 *       23 h at the most.
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
public final class Schedules implements AutoCloseable {

    static final Duration LOOK_EVERY = Duration.ofSeconds(30);
    private static final Logger log = LoggerFactory.getLogger(Schedules.class);
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final Environment environment;
    private final Start submitter;
    private final Timers timers;
    private final List<JobClock> jobs;

    /**
     * Begins.
     *
     * @throws InvalidSettingException if a tenant's job is named twice: its starts could not be told apart
     */
    public Schedules(Environment environment, Start submitter, Collection<ScheduledJob> jobs) {
        this.environment = environment;
        this.submitter = submitter;
        this.jobs = jobs.stream().map(JobClock::new).toList();
        Instant now = environment.clock().instant();
        Set<LockKey> seen = new HashSet<>();
        for (ScheduledJob job : jobs) {
            if (!seen.add(LockKey.of(job.key().tenant(), job.job().value()))) {
                throw new InvalidSettingException(
                        "schedule",
                        job.job(),
                        "has two schedules in one tenant",
                        "give the second one a job of its own");
            }
            job.times().next(now).ifPresent(next -> log.info("{} starts next at {}", job.job(), next));
        }
        timers = environment.timers("interlock-schedule");
        timers.after(SHORTEST, this::look);
    }

    /** Submits nothing more. May be called twice. */
    @Override
    public void close() {
        timers.close();
    }

    private void look() {
        Duration wait = LOOK_EVERY;
        try {
            Instant now = environment.clock().instant();
            for (JobClock job : jobs) {
                Instant next = job.look(now);
                if (next != null) {
                    wait = shorter(wait, Duration.between(now, next));
                }
            }
        } catch (RuntimeException failure) {
            log.error("schedule check failed; retrying: {}", failure.toString(), failure);
        } finally {
            timers.after(wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait, this::look);
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Takes in what a schedule starts: a start like any other, under the same lock. */
    @FunctionalInterface
    public interface Start {

        /**
         * Submits a run. Does not block. Any clear answer, also that the key is taken or that the run was submitted before, ends
         * the stage normally. If it fails, the same is submitted again, unless with an {@link InterlockException} other than
         * {@link StoreUnavailableException} and {@link TenantLimitException}: asking again would be answered in the same way.
         *
         * @param fireTime the time the schedule names, not the time it is now
         * @param idempotencyKey the same on every process; must count for at least 24 h
         */
        CompletionStage<?> submit(JobName job, LockKey key, Instant fireTime, String idempotencyKey);
    }

    /** Knows up to when one job's schedule has been looked at, and what of it has still to be submitted. */
    private final class JobClock {

        /** How late a start may be and still count as in time: machines pause, and timers are not exact. */
        static final Duration IN_TIME = Duration.ofMinutes(1);

        private static final Duration SMALL_STEP = Duration.ofSeconds(1);
        private static final Duration FIRST_REST = Duration.ofSeconds(1);
        private static final Duration LONGEST_REST = Duration.ofSeconds(25);
        // After that it is not known whether another process has submitted it: its idempotency key may no longer count.
        private static final Duration TRY_FOR = Duration.ofHours(23);

        private final ScheduledJob scheduled;
        private Instant lookedAt;
        private @Nullable Instant fired;
        private boolean submitted;
        private @Nullable Backoff rests;

        JobClock(ScheduledJob scheduled) {
            this.scheduled = scheduled;
            lookedAt = environment.clock().instant().minus(scheduled.catchUp());
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

        // Times that come again are submitted again, under the same idempotency keys: they start nothing that was
        // started.
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
                        "starts of {} were missed from {} on: no process was there, or the clock was set forward; {}",
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
                log.error("could not submit the start of {} at {} before the next one", scheduled.job(), fired);
            }
            fired = fireTime;
            submitted = false;
            rests = null;
            submit(fireTime);
        }

        private void submit(Instant fireTime) {
            var unused = stage(fireTime).whenComplete((answer, failure) -> {
                if (failure == null) {
                    succeeded(fireTime);
                } else {
                    failed(fireTime, failure instanceof CompletionException ? failure.getCause() : failure);
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

        private synchronized void failed(Instant fireTime, @Nullable Throwable failure) {
            if (!fireTime.equals(fired)) {
                return;
            }
            Duration late = Duration.between(fireTime, environment.clock().instant());
            if (isFinal(failure) || late.compareTo(TRY_FOR) > 0) {
                submitted = true;
                log.error("the start of {} at {} is given up: {}", scheduled.job(), fireTime, String.valueOf(failure));
                return;
            }
            Backoff pauses = rests;
            if (pauses == null) {
                pauses = new Backoff(new LocalTime(environment), FIRST_REST, LONGEST_REST);
                rests = pauses;
                log.warn(
                        "could not submit the start of {} at {}; retrying until the next one: {}",
                        scheduled.job(),
                        fireTime,
                        String.valueOf(failure));
            }
            timers.after(pauses.next(), () -> again(fireTime));
        }

        /** Whether asking again would be answered in the same way. */
        private static boolean isFinal(@Nullable Throwable failure) {
            return failure instanceof InterlockException
                    && !(failure instanceof StoreUnavailableException)
                    && !(failure instanceof TenantLimitException);
        }

        private synchronized void again(Instant fireTime) {
            if (fireTime.equals(fired) && !submitted) {
                submit(fireTime);
            }
        }
    }

    /**
     * A job that starts by the clock.
     *
     * @param catchUp how old the last time may be that was missed because no process was there, and still be made up for; zero to
     *     skip what was missed. On a fresh start it is not known what was missed: the last time within it is submitted, and starts
     *     nothing if it was before.
     */
    public record ScheduledJob(JobName job, LockKey key, FireTimes times, Duration catchUp) {

        /** The longest time that can be caught up with: idempotency keys are known to count for as long. */
        public static final Duration MAX_CATCH_UP = Duration.ofHours(24);

        public ScheduledJob {
            if (catchUp.isNegative() || catchUp.compareTo(MAX_CATCH_UP) > 0) {
                throw new InvalidSettingException(
                        "catch-up",
                        DurationText.format(catchUp),
                        "must be from 0s to " + DurationText.format(MAX_CATCH_UP),
                        "0s skips starts that were missed");
            }
        }

        /** A job whose missed starts are skipped. */
        public static ScheduledJob of(JobName job, LockKey key, FireTimes times) {
            return new ScheduledJob(job, key, times, Duration.ZERO);
        }

        String idempotencyKey(Instant fireTime) {
            return "schedule/" + job + "/" + fireTime;
        }
    }
}
