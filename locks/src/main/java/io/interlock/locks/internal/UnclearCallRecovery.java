package io.interlock.locks.internal;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.time.Moment;
import io.interlock.time.TimerQueue;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clears up after calls the store did not answer: a release is made again, and an acquire that may have been granted to
 * nobody is looked for and given back. Each is tried until the lease must be over by itself.
 */
final class UnclearCallRecovery {

    private static final Logger log = LoggerFactory.getLogger(UnclearCallRecovery.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final double SPREAD = 0.2;

    private final LocksRuntime runtime;
    private final LeaseStore store;
    private final TimerQueue<Chore> timerQueue;

    UnclearCallRecovery(LocksRuntime runtime, Timers timers) {
        this.runtime = runtime;
        this.store = runtime.settings().store();
        this.timerQueue =
                new TimerQueue<>(timers, runtime.settings().environment().ticker(), this::run);
    }

    /** {@code request} may have been granted without our hearing of it, and as late as just now. */
    void lookFor(AcquireRequest request) {
        add(new Chore(request, List.of(), runtime.time().now(), request.terms().ttl()));
    }

    /** {@code lease} is over for us, and the store may not know. */
    void releaseLater(HeldLease lease) {
        add(new Chore(
                null,
                lease.releaseRequests(),
                lease.confirmedAt(),
                lease.options().terms().ttl()));
    }

    private void add(Chore chore) {
        chore.entry = timerQueue.entry(chore, FIRST_PAUSE.dividedBy(2));
        again(chore);
    }

    private void run(List<Chore> due) {
        try {
            due.forEach(this::find);
            release(due.stream().filter(chore -> !chore.releases.isEmpty()).toList());
        } catch (RuntimeException stillUnavailable) {
            log.debug("{} leases still to be given back: {}", due.size(), stillUnavailable.toString());
        }
        due.stream().filter(chore -> !chore.done).forEach(this::again);
    }

    private void find(Chore chore) {
        AcquireRequest request = chore.unclear;
        if (request == null || !chore.releases.isEmpty()) {
            return;
        }
        List<ReleaseRequest> granted = new ArrayList<>();
        for (Optional<LeaseRecord> found : store.find(request.keys())) {
            found.filter(lease -> lease.id().equals(request.id()))
                    .ifPresent(lease -> granted.add(new ReleaseRequest(lease.key(), lease.id(), lease.token())));
        }
        chore.releases = granted;
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
                runtime.lines().wake(request.key());
            }
            chore.done = done;
            if (done) {
                log.info("gave back {}, after the store had not answered", keys(chore.releases));
            }
        }
    }

    private void again(Chore chore) {
        // A grant we do not see yet may still be on its way, so only time ends the search.
        TimerQueue.Entry<Chore> entry = chore.entry;
        if (entry != null && runtime.time().elapsed(chore.since) < chore.ttl.toNanos()) {
            Moment now = runtime.time().now();
            timerQueue.set(
                    entry,
                    now.nanos()
                            + runtime.time().jittered(chore.nextPause(), SPREAD).toNanos());
        }
    }

    private static List<LockKey> keys(List<ReleaseRequest> requests) {
        return requests.stream().map(ReleaseRequest::key).toList();
    }

    /** One thing to clear up. Only the timers' thread touches it once it is added. */
    private static final class Chore {
        private final @Nullable AcquireRequest unclear;
        private final Moment since;
        private final Duration ttl;
        private List<ReleaseRequest> releases;
        private TimerQueue.@Nullable Entry<Chore> entry;
        private Duration pause = FIRST_PAUSE;
        private boolean done;

        Chore(@Nullable AcquireRequest unclear, List<ReleaseRequest> releases, Moment since, Duration ttl) {
            this.unclear = unclear;
            this.releases = releases;
            this.since = since;
            this.ttl = ttl;
        }

        Duration nextPause() {
            Duration current = pause;
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
            return current;
        }
    }
}
