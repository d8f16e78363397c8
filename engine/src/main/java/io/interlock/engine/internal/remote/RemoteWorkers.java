package io.interlock.engine.internal.remote;

import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineTimers;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes for people which workers in other processes ask for work. Each is noted every {@link #EVERY} at the most, one call at a time
 * and beside the claims themselves. Tenants take turns, and of one tenant's crowd at most {@link WorkerNote#MOST_REMOTE} wait to be
 * noted, so that a worker with ever new names delays no other. Safe for use by many threads.
 */
public final class RemoteWorkers {

    /** How often a worker is noted at the most. */
    static final Duration EVERY = Duration.ofSeconds(15);

    private static final Logger log = LoggerFactory.getLogger(RemoteWorkers.class);
    private static final int MOST_TENANTS = 1000;

    private final RunNotes notes;
    private final EngineThreads threads;
    private final EngineTimers timers;
    private final Map<Optional<String>, Tenant> tenants = new Recent<>(MOST_TENANTS);

    /** Tenants with workers that wait to be noted, each once. */
    private final Deque<Tenant> turns = new ArrayDeque<>();

    private boolean noting;

    /** The workers of a tenant, by instance. */
    private static final class Tenant {
        private final Map<String, WorkerNote> unsaid = new LinkedHashMap<>();
        private final Map<String, Moment> noted = new Recent<>(2 * WorkerNote.MOST_REMOTE);
    }

    /** What was used last, up to {@code most}. */
    private static final class Recent<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1;

        private final int most;

        Recent(int most) {
            super(16, 0.75f, true);
            this.most = most;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
        }
    }

    public RemoteWorkers(RunNotes notes, EngineThreads threads, EngineTimers timers) {
        this.notes = notes;
        this.threads = threads;
        this.timers = timers;
    }

    /** A worker asks for work. */
    void asks(ClaimRequest claim) {
        synchronized (this) {
            if (!waits(claim) || noting) {
                return;
            }
            noting = true;
        }
        threads.call(this::tell).whenComplete((told, failure) -> {
            if (failure != null) {
                synchronized (this) {
                    noting = false;
                }
                log.debug("workers in other processes are not noted: {}", failure.toString());
            }
        });
    }

    /** Whether this adds a worker to those that wait to be noted. */
    private boolean waits(ClaimRequest claim) {
        String instance = claim.holder().instance();
        Tenant tenant = tenants.computeIfAbsent(Optional.ofNullable(claim.tenant()), name -> new Tenant());
        Moment last = tenant.noted.get(instance);
        boolean known = last != null && timers.time().elapsed(last) < EVERY.toNanos();
        if (known || tenant.unsaid.size() >= WorkerNote.MOST_REMOTE) {
            return false;
        }
        if (tenant.unsaid.isEmpty()) {
            turns.add(tenant);
        }
        tenant.noted.put(instance, timers.time().now());
        tenant.unsaid.put(instance, note(claim));
        return true;
    }

    private boolean tell() {
        while (true) {
            WorkerNote next;
            synchronized (this) {
                next = next();
                if (next == null) {
                    noting = false;
                    return true;
                }
            }
            try {
                notes.noteWorker(next);
            } catch (RuntimeException failure) {
                // It asks again, and is noted then.
                log.debug("worker {} is not noted: {}", next.worker().label(), failure.toString());
            }
        }
    }

    private @Nullable WorkerNote next() {
        Tenant tenant = turns.poll();
        if (tenant == null) {
            return null;
        }
        Iterator<WorkerNote> unsaid = tenant.unsaid.values().iterator();
        WorkerNote next = unsaid.next();
        unsaid.remove();
        if (unsaid.hasNext()) {
            turns.add(tenant);
        }
        return next;
    }

    private WorkerNote note(ClaimRequest claim) {
        return new WorkerNote(
                claim.holder(),
                claim.tenant(),
                claim.jobs(),
                claim.max(),
                0,
                WorkerNote.REMOTE,
                timers.environment().clock().instant());
    }
}
