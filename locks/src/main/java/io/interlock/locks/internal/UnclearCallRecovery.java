package io.interlock.locks.internal;

import io.interlock.LockKey;
import io.interlock.locks.runtime.Backoff;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
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
        add(new Chore(request, List.of(), time.now(), request.terms().ttl(), new Backoff(time)));
    }

    /** {@code lease} is over for its holder, and the store may not know. */
    void releaseLater(LeaseHandle lease) {
        add(new Chore(
                null,
                lease.releaseRequests(),
                lease.confirmed(),
                lease.options().terms().ttl(),
                new Backoff(time)));
    }

    private void add(Chore chore) {
        chore.entry = timerQueue.entry(chore, Backoff.FIRST.dividedBy(2));
        again(chore);
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
        Answers<ReleaseAnswer> answers = store.release(requests);
        int next = 0;
        for (Chore chore : chores) {
            boolean done = true;
            for (ReleaseRequest request : chore.releases) {
                done &= !answers.isOpen(next++);
                whenReleased.accept(request.key());
            }
            chore.done = done;
            if (done) {
                log.info(
                        "released {}, after the store had not answered before",
                        chore.releases.stream().map(ReleaseRequest::key).toList());
            }
        }
    }

    private void again(Chore chore) {
        // A grant that is not there yet may still be on its way, so only time ends the search.
        TimerQueue.Entry<Chore> entry = chore.entry;
        if (entry != null && time.elapsed(chore.since) < chore.ttl.toNanos()) {
            timerQueue.set(entry, time.now().nanos() + chore.backoff.next().toNanos());
        }
    }

    /** One thing to clear up. Only the timers' thread touches it once it is added. */
    private static final class Chore {
        private final @Nullable AcquireRequest unclear;
        private final Moment since;
        private final Duration ttl;
        private final Backoff backoff;
        private List<ReleaseRequest> releases;
        private TimerQueue.@Nullable Entry<Chore> entry;
        private boolean done;

        Chore(
                @Nullable AcquireRequest unclear,
                List<ReleaseRequest> releases,
                Moment since,
                Duration ttl,
                Backoff backoff) {
            this.unclear = unclear;
            this.releases = releases;
            this.since = since;
            this.ttl = ttl;
            this.backoff = backoff;
        }
    }
}
