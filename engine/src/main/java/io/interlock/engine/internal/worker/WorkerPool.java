package io.interlock.engine.internal.worker;

import io.interlock.LeaseId;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.Job;
import io.interlock.engine.RunHandler;
import io.interlock.engine.WorkerEngine;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.JobName;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes work for the free slots of this process, and has it done. One claim at a time, on a thread of its own: when a wake-up
 * comes, when a slot becomes free, and from time to time anyway. A claim without a clear answer is made again under the same
 * name, so that what it took is not lost.
 *
 * <p>If further runs waited for the key when a run was claimed, the store is told of its end and asked for the next one in one
 * step, and the slot is kept for it. A slot stays with one key for a moment only, so that runs of other keys have their turns.
 * Otherwise a slot is free as soon as the work in it has ended, while the store is still told of the end. As many ends as there are slots may be
 * on their way; beyond that they take slots. While there is more work than slots, a claim waits a moment for half
 * of the slots: one claim for eight runs costs the store little more than one for a single run.
 */
public final class WorkerPool {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);
    private static final double SPREAD = 0.2;
    private static final int LONGEST_BACKOFF = 5;
    private static final int WAITING_PER_SLOT = 8;
    private static final Duration GATHERING = Duration.ofMillis(2);

    /** How long a slot stays with one key, whatever waits for a slot elsewhere. */
    private static final Duration STAY = Duration.ofMillis(200);

    private final EngineSettings.WorkSettings settings;
    private final EngineTimers timers;
    private final ActiveRuns activeRuns;
    private final Attempts attempts;
    private final Set<JobName> jobs;
    private final int slots;
    private final Set<HeldRun> running = new HashSet<>();
    private final Set<HeldRun> waiting = new HashSet<>();
    /** Since when the slot of an attempt has been with its key. */
    private final Map<HeldRun, Moment> stays = new HashMap<>();

    private int ending;
    /** Slots whose work has ended, kept for the next run of its key. */
    private int kept;

    private boolean claiming;
    private boolean backlog;
    private boolean gathering;
    private boolean again;
    private boolean closed;
    private int failures;
    private @Nullable ClaimRequest unclear;
    private Timers.@Nullable Scheduled next;
    private ChangeFeed.@Nullable Subscription wakeUps;

    WorkerPool(EngineSettings.WorkSettings settings, EngineTimers timers, ActiveRuns activeRuns, Attempts attempts) {
        this.settings = settings;
        this.timers = timers;
        this.activeRuns = activeRuns;
        this.attempts = attempts;
        this.slots = settings.slots();
        this.jobs = settings.jobs().all().stream()
                .filter(job -> job.work().isPresent())
                .map(Job::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    public void start() {
        if (!isActive()) {
            return;
        }
        try {
            wakeUps = settings.source().steps().watchWork(settings.tenant(), this::wake);
        } catch (RuntimeException failure) {
            log.warn("no wake-ups about work, only polls: {}", failure.toString());
        }
        wake();
    }

    /** Looks for work now, or once more if it is just looking. */
    synchronized void wake() {
        if (claiming) {
            again = true;
        } else {
            lookSoon();
        }
    }

    public synchronized WorkerEngine.Status status() {
        int stuck = (int) Stream.concat(running.stream(), waiting.stream())
                .filter(HeldRun::isStuck)
                .count();
        return new WorkerEngine.Status(slots, running.size(), stuck, isActive() && !closed);
    }

    /** Takes nothing any more. What a claim under way brings is still begun, and there when this returns. */
    void close() {
        ChangeFeed.Subscription over;
        boolean interrupted = false;
        synchronized (this) {
            closed = true;
            over = wakeUps;
            wakeUps = null;
            if (next != null) {
                next.cancel();
            }
            while (claiming) {
                try {
                    wait();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        }
        if (over != null) {
            over.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    public Set<JobName> jobs() {
        return jobs;
    }

    private boolean isActive() {
        return slots > 0 && !jobs.isEmpty();
    }

    private int free() {
        return slots - running.size() - kept - Math.max(0, ending - kept - slots);
    }

    private void lookSoon() {
        if (!backlog || 2 * free() >= slots) {
            schedule(Duration.ZERO);
        } else if (!gathering) {
            schedule(GATHERING);
            gathering = true;
        }
    }

    private void schedule(Duration delay) {
        gathering = false;
        if (closed || !isActive()) {
            return;
        }
        if (next != null) {
            next.cancel();
        }
        next = timers.claims().after(delay, this::look);
    }

    private void look() {
        ClaimRequest request;
        synchronized (this) {
            next = null;
            gathering = false;
            if (closed || claiming || free() <= 0) {
                // A slot that becomes free wakes this pool.
                return;
            }
            request = unclear != null ? unclear : claim(free());
            if (request.jobs().isEmpty()) {
                // A run that stops waiting wakes this pool.
                return;
            }
            claiming = true;
            again = false;
        }
        Duration pause = timers.time().jittered(settings.pollEvery(), SPREAD);
        try {
            Moment before = timers.time().now();
            List<Claimed> claimed = settings.source().steps().claim(request);
            answered(claimed.size() >= request.max());
            claimed.forEach(each -> begin(each, before, before));
        } catch (RuntimeException failure) {
            pause = failed(request, failure);
        } finally {
            synchronized (this) {
                claiming = false;
                notifyAll();
                if (again || backlog) {
                    lookSoon();
                } else {
                    schedule(pause);
                }
            }
        }
    }

    private ClaimRequest claim(int free) {
        int max = Math.min(free, ClaimRequest.MOST);
        return new ClaimRequest(
                LeaseId.random(settings.environment().random()).value(),
                settings.holder(),
                settings.tenant(),
                jobs.stream().filter(job -> hasRoom(job, max)).collect(Collectors.toUnmodifiableSet()),
                max);
    }

    // A run that waits has a thread and a lease. The limit is one for each job: those it waits for may themselves only
    // wait.
    private boolean hasRoom(JobName job, int more) {
        long waits =
                waiting.stream().filter(held -> held.job().name().equals(job)).count();
        return waits + more <= (long) WAITING_PER_SLOT * slots;
    }

    private synchronized void answered(boolean gotAll) {
        unclear = null;
        failures = 0;
        backlog = gotAll;
    }

    private synchronized Duration failed(ClaimRequest request, RuntimeException failure) {
        unclear = failure instanceof StoreUnavailableException ? request : null;
        backlog = false;
        failures++;
        log.warn("claim failed; retrying: {}", failure.toString());
        int factor = 1 << Math.min(failures, LONGEST_BACKOFF);
        return timers.time().jittered(settings.pollEvery().dividedBy(2).multipliedBy(factor), SPREAD);
    }

    /** Begins the next run of a key, which the store gave to this process with the end of the one before. */
    void takeOver(HeldRun ended, Claimed next, Moment before) {
        Moment since;
        synchronized (this) {
            since = stays.getOrDefault(ended, before);
        }
        try {
            begin(next, before, since);
        } catch (EngineClosedException closing) {
            log.debug("run {} was given back: {}", next.run().id(), closing.toString());
        }
    }

    /** Begins a run in a slot that has been with its key since {@code since}. */
    private void begin(Claimed claimed, Moment before, Moment since) {
        Job job = settings.jobs().require(claimed.run().job());
        RunHandler handler = job.work().orElseThrow();
        boolean takesSlot = takesSlot(claimed, handler);
        HeldRun held = activeRuns.adopt(claimed.run(), claimed.lease(), job, before);
        synchronized (this) {
            (takesSlot ? running : waiting).add(held);
            if (takesSlot && claimed.more()) {
                stays.put(held, since);
            }
        }
        attempts.begin(held, handler, new Slot(held));
    }

    // It is the work's own code. What was claimed has to be begun all the same, with all that was claimed with it.
    private static boolean takesSlot(Claimed claimed, RunHandler handler) {
        try {
            return handler.takesSlot();
        } catch (RuntimeException | Error broken) {
            JobName job = claimed.run().job();
            log.warn("takesSlot of job {} failed; its run takes a slot", job, broken);
            return true;
        }
    }

    private final class Slot implements Attempts.Slot {

        private final HeldRun held;
        private boolean keeps;

        Slot(HeldRun held) {
            this.held = held;
        }

        @Override
        public @Nullable ClaimRequest stopped() {
            synchronized (WorkerPool.this) {
                running.remove(held);
                waiting.remove(held);
                keeps = asksForNext(stays.get(held));
                ending++;
                if (keeps) {
                    kept++;
                    return claim(1);
                }
                wake();
                return null;
            }
        }

        @Override
        public void told() {
            synchronized (WorkerPool.this) {
                stays.remove(held);
                ending--;
                kept -= keeps ? 1 : 0;
                if (keeps ? free() > 0 : ending >= slots) {
                    wake();
                }
            }
        }
    }

    private boolean asksForNext(@Nullable Moment since) {
        return !closed
                && since != null
                && settings.source().steps().claimsNext()
                && timers.time().elapsed(since) <= STAY.toNanos();
    }
}
