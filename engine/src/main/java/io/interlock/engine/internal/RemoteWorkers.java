package io.interlock.engine.internal;

import io.interlock.run.WorkerNote;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.time.Moment;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes for people which workers in other processes ask for work. Each is noted every {@link #EVERY} at the most, one call at a time
 * and beside the claims themselves; of a crowd that is greater than {@link #MOST}, some are noted later. Safe for use by many threads.
 */
final class RemoteWorkers {

    /** How often a worker is noted at the most. */
    static final Duration EVERY = Duration.ofSeconds(15);

    /** How many may wait to be noted. */
    static final int MOST = 1000;

    private static final Logger log = LoggerFactory.getLogger(RemoteWorkers.class);
    private static final int MOST_REMEMBERED = 10_000;

    private final House house;
    private final Map<String, WorkerNote> unsaid = new LinkedHashMap<>();
    private final Map<String, Moment> noted = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Moment> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };
    private boolean telling;

    RemoteWorkers(House house) {
        this.house = house;
    }

    /** Somebody asks for work. */
    void asks(ClaimRequest claim) {
        if (!house.settings().books().kept()) {
            return;
        }
        String instance = claim.holder().instance();
        synchronized (this) {
            Moment last = noted.get(instance);
            boolean known = last != null && house.time().elapsed(last) < EVERY.toNanos();
            if (known || unsaid.size() >= MOST) {
                return;
            }
            noted.put(instance, house.time().now());
            unsaid.put(instance, note(claim));
            if (telling) {
                return;
            }
            telling = true;
        }
        house.called(this::tell).whenComplete((told, failure) -> {
            if (failure != null) {
                synchronized (this) {
                    telling = false;
                }
                log.debug("workers in other processes are not noted: {}", failure.toString());
            }
        });
    }

    private boolean tell() {
        while (true) {
            WorkerNote next;
            synchronized (this) {
                if (unsaid.isEmpty()) {
                    telling = false;
                    return true;
                }
                Iterator<WorkerNote> notes = unsaid.values().iterator();
                next = notes.next();
                notes.remove();
            }
            try {
                house.settings().store().noteWorker(next);
            } catch (RuntimeException failure) {
                // It asks again, and is noted then.
                log.debug("worker {} is not noted: {}", next.worker().label(), failure.toString());
            }
        }
    }

    private WorkerNote note(ClaimRequest claim) {
        return new WorkerNote(
                claim.holder(),
                claim.tenant(),
                claim.jobs(),
                claim.max(),
                0,
                WorkerNote.REMOTE,
                house.settings().environment().clock().instant());
    }
}
