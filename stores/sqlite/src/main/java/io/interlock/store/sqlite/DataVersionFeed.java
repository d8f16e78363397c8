package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.ChangeFeed;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups from a number that SQLite changes with every commit, so nobody writes to be heard. While somebody watches, a
 * thread looks at it every {@link #EVERY}; if it changed, those watchers are woken whose key has no lease any more. A
 * release in this process wakes them at once. Safe for use by many threads.
 */
final class DataVersionFeed implements ChangeFeed, AutoCloseable {

    static final Duration EVERY = Duration.ofMillis(25);

    private static final Logger log = LoggerFactory.getLogger(DataVersionFeed.class);

    private final Lane lane;
    private final Environment environment;
    private final Object guard = new Object();

    // All below is guarded by guard.
    private final Set<Watch> watches = new LinkedHashSet<>();
    private @Nullable Timers timers;
    private boolean looking;
    private boolean closed;

    // These belong to the feed's thread.
    private @Nullable Session seenOn;
    private long seen;
    private boolean failing;

    DataVersionFeed(Lane lane, Environment environment) {
        this.lane = lane;
        this.environment = environment;
    }

    @Override
    public Subscription watch(LockKey key, Runnable lookAgain) {
        Watch watch = new Watch(key, lookAgain);
        synchronized (guard) {
            if (!closed) {
                watches.add(watch);
                lookSoon();
            }
        }
        return watch;
    }

    /** Wakes those who watch one of {@code keys}, on the feed's thread. */
    void wake(Collection<LockKey> keys) {
        synchronized (guard) {
            if (timers != null && !watches.isEmpty()) {
                Set<LockKey> free = new HashSet<>(keys);
                timers.after(Duration.ZERO, () -> call(watching(free)));
            }
        }
    }

    @Override
    public void close() {
        synchronized (guard) {
            closed = true;
            watches.clear();
            if (timers != null) {
                timers.close();
            }
        }
        lane.close();
    }

    private void lookSoon() {
        if (!looking && !closed && !watches.isEmpty()) {
            if (timers == null) {
                timers = environment.timers("interlock-sqlite-feed");
            }
            looking = true;
            timers.after(EVERY, this::look);
        }
    }

    private void look() {
        try {
            call(watching(lane.run(this::freed)));
            failing = false;
        } catch (StoreUnavailableException failure) {
            if (!failing && !isClosed()) {
                log.warn("no wake-ups for now; waiters look by themselves: {}", failure.getMessage());
            }
            failing = true;
            seenOn = null;
        } finally {
            synchronized (guard) {
                looking = false;
                lookSoon();
            }
        }
    }

    private Set<LockKey> freed(Session session) throws SQLException {
        long version = version(session);
        // The number means something only to the connection that read it.
        boolean unchanged = session == seenOn && version == seen;
        seenOn = session;
        seen = version;
        Set<LockKey> freed = new HashSet<>();
        if (!unchanged) {
            LeaseTable leases = new LeaseTable(session);
            // Asked for after the number: whoever begins to watch later also looks later than it was read.
            for (LockKey key : watchedKeys()) {
                if (leases.find(key) == null) {
                    freed.add(key);
                }
            }
        }
        return freed;
    }

    private static long version(Session session) throws SQLException {
        try (ResultSet row = session.prepare("PRAGMA data_version").executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private boolean isClosed() {
        synchronized (guard) {
            return closed;
        }
    }

    private Set<LockKey> watchedKeys() {
        synchronized (guard) {
            Set<LockKey> keys = new HashSet<>();
            watches.forEach(watch -> keys.add(watch.key));
            return keys;
        }
    }

    private List<Watch> watching(Set<LockKey> keys) {
        synchronized (guard) {
            List<Watch> found = new ArrayList<>(watches);
            found.removeIf(watch -> !keys.contains(watch.key));
            return found;
        }
    }

    private static void call(List<Watch> woken) {
        for (Watch watch : woken) {
            try {
                watch.lookAgain.run();
            } catch (RuntimeException | Error failure) {
                // The others are still to be woken.
                log.error("a waiter of {} failed to wake up", watch.key, failure);
            }
        }
    }

    private final class Watch implements Subscription {

        private final LockKey key;
        private final Runnable lookAgain;

        Watch(LockKey key, Runnable lookAgain) {
            this.key = key;
            this.lookAgain = lookAgain;
        }

        @Override
        public void close() {
            synchronized (guard) {
                watches.remove(this);
            }
        }
    }
}
