package io.interlock.locks.internal;

import io.interlock.LockKey;
import io.interlock.locks.runtime.Backoff;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import io.interlock.time.TimerQueue;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up after calls the store did not answer: repeats a release, and looks for an acquire that may have been granted and gives it
 * back. Each is tried until the lease must be over by itself. What is due together is tried in one go, so a store that is away costs one
 * failed call, not one for each lease. Safe for use by many threads.
 */
final class UnclearCallRecovery {

    private static final Logger log = LoggerFactory.getLogger(UnclearCallRecovery.class);

    private final LeaseStore store;
    private final LocalTime time;
    private final Consumer<LockKey> whenReleased;
    private final TimerQueue<Chore> timerQueue;

    /**
     * Nothing to clean up yet.
     *
     * @param timers runs the calls, which may block
     * @param whenReleased called with each key that was released; must not block
     */
    UnclearCallRecovery(LeaseStore store, Environment environment, Timers timers, Consumer<LockKey> whenReleased) {
        this.store = store;
        this.time = new LocalTime(environment);
        this.whenReleased = whenReleased;
        this.timerQueue = new TimerQueue<>(timers, environment.ticker(), this::run);
    }

    /** {@code request} may have been granted although no answer came, and as late as just now. */
    void lookFor(AcquireRequest request) {
        again(new Chore(request, List.of(), time.now(), request.terms().ttl()));
    }

    /** {@code lease} is over for its holder, and the store may not know. */
    void releaseLater(LeaseHandle lease) {
        again(new Chore(
                null,
                lease.releaseRequests(),
                lease.confirmed(),
                lease.options().terms().ttl()));
    }

    private void run(List<Chore> due) {
        try {
            due.forEach(this::find);
            release(due.stream().filter(chore -> !chore.releases.isEmpty()).toList());
        } catch (RuntimeException stillUnavailable) {
            log.debug("{} leases are still to be released: {}", due.size(), stillUnavailable.toString());
        }
        due.stream().filter(chore -> !chore.done).forEach(this::again);
    }

    private void find(Chore chore) {
        AcquireRequest request = chore.unclear;
        if (request == null || !chore.releases.isEmpty()) {
            return;
        }
        chore.releases = store.granted(request).stream()
                .map(lease -> new ReleaseRequest(lease.key(), lease.id(), lease.token()))
                .toList();
    }

    private void release(List<Chore> chores) {
        List<ReleaseRequest> requests =
                chores.stream().flatMap(chore -> chore.releases.stream()).toList();
        if (requests.isEmpty()) {
            return;
        }
        Leases.releaseTogether(store, requests);
        chores.forEach(chore -> chore.done = true);
        List<LockKey> keys = requests.stream().map(ReleaseRequest::key).toList();
        keys.forEach(whenReleased);
        log.info("released {}, after the store had not answered before", keys);
    }

    private void again(Chore chore) {
        // A grant that is not there yet may still be on its way, so only time ends the search.
        if (time.elapsed(chore.since) < chore.ttl.toNanos()) {
            timerQueue.set(
                    chore.entry, time.now().nanos() + chore.backoff.next().toNanos());
        }
    }

    /** One thing to clear up. Only the timers' thread touches it once it is in the queue. */
    private final class Chore {
        private final @Nullable AcquireRequest unclear;
        private final Moment since;
        private final Duration ttl;
        private final Backoff backoff = new Backoff(time);
        private final TimerQueue.Entry<Chore> entry = timerQueue.entry(this, Backoff.FIRST.dividedBy(2));
        private List<ReleaseRequest> releases;
        private boolean done;

        Chore(@Nullable AcquireRequest unclear, List<ReleaseRequest> releases, Moment since, Duration ttl) {
            this.unclear = unclear;
            this.releases = releases;
            this.since = since;
            this.ttl = ttl;
        }
    }
}
