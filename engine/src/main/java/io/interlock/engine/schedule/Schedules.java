package io.interlock.engine.schedule;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.JobName;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
 *   <li>A store that is away: the start is tried again until the next one is due, for 23 h at the most.
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
public final class Schedules implements AutoCloseable {

    static final Duration LOOK_EVERY = Duration.ofSeconds(30);
    private static final Logger log = LoggerFactory.getLogger(Schedules.class);
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final Environment environment;
    private final Timers timers;
    private final List<JobClock> jobs;

    private Schedules(Environment environment, ScheduledStart submitter, Collection<ScheduledJob> jobs) {
        this.environment = environment;
        timers = environment.timers("interlock-schedule");
        this.jobs = jobs.stream()
                .map(job -> new JobClock(job, submitter, environment, timers))
                .toList();
    }

    /**
     * Begins.
     *
     * @throws InvalidSettingException if a tenant's job is named twice: its starts could not be told apart
     */
    public static Schedules start(Environment environment, ScheduledStart submitter, Collection<ScheduledJob> jobs) {
        Set<LockKey> seen = new HashSet<>();
        for (ScheduledJob job : jobs) {
            if (!seen.add(LockKey.of(job.key().tenant(), job.job().value()))) {
                throw new InvalidSettingException(
                        "schedule",
                        job.job(),
                        "has two schedules in one tenant",
                        "give the second one a job of its own");
            }
        }
        Schedules schedules = new Schedules(environment, submitter, jobs);
        if (!jobs.isEmpty()) {
            schedules.timers.after(SHORTEST, schedules::look);
        }
        schedules.upcoming().forEach((job, next) -> log.info("{} starts next at {}", job, next));
        return schedules;
    }

    /** When each job starts next, by this process's clock. */
    public Map<JobName, Instant> upcoming() {
        Instant now = environment.clock().instant();
        Map<JobName, Instant> upcoming = new TreeMap<>();
        jobs.forEach(job -> job.scheduled()
                .times()
                .next(now)
                .ifPresent(next -> upcoming.merge(
                        job.scheduled().job(), next, (one, other) -> one.isBefore(other) ? one : other)));
        return upcoming;
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
            log.error("the schedule could not be looked at and will be again: {}", failure.toString(), failure);
        } finally {
            timers.after(wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait, this::look);
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
