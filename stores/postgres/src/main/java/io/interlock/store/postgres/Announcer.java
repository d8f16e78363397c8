package io.interlock.store.postgres;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.spi.Watchers;
import io.interlock.store.sql.Dialect;
import io.interlock.store.sql.Rows;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.SqlConnection;
import io.interlock.store.sql.Trip;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import io.interlock.time.TimerQueue;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends wake-ups by {@code NOTIFY}, after the release is committed, in a transaction of their own: a commit that notifies
 * takes a lock on the whole database server. Whatever gathers while one is being sent goes out as the next. Wake-ups about
 * work are sent at most every {@link #WORK_EVERY}: they say only that there is some, and a claim takes all it finds.
 *
 * <p>A wake-up for one client is followed by a look after {@link #SECOND_LOOK}: if no client has taken the key, because the one
 * that was woken is gone or no longer wants it, all others are woken.
 *
 * <p>A wake-up that cannot be sent is dropped: waiters poll as well. Thread and connection begin with the first, and closing sends
 * what is left. Safe for use by many threads.
 */
final class Announcer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Announcer.class);

    /** Seventeen characters each; a payload is limited to 8000 bytes. */
    private static final int MOST_AT_ONCE = 400;

    // A wake-up needs not survive a crash, so it does not wait for the disk.
    private static final String NOTIFY =
            "SELECT set_config('synchronous_commit', 'off', true), pg_notify(w.channel, w.payload)"
                    + " FROM ${rows:w(channel text, payload text)}";
    private static final String STILL_FREE =
            "SELECT l.tenant, l.name FROM ${rows:k(tenant text, name text, token bigint)}"
                    + " JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name"
                    + " WHERE l.lease_id IS NULL AND l.token = k.token AND strpos(l.waiters, ',') > 0";

    private static final Duration WORK_EVERY = Duration.ofMillis(5);

    static final Duration SECOND_LOOK = Duration.ofMillis(100);

    private final DataSource connections;
    private final ServerSettings settings;
    private final Dialect dialect;
    private final Ticker ticker;
    private final Watchers<Long> watchers;
    private final Set<WakeUp> gathered = new LinkedHashSet<>();
    private final Set<WakeUp> work = new LinkedHashSet<>();
    private long workDueAt;
    /** In the order of their time. */
    private final Map<LockKey, SecondLook> secondLooks = new LinkedHashMap<>();

    private boolean closed;

    private final Timers timers;
    private final TimerQueue<Announcer> queue;
    private final TimerQueue.Entry<Announcer> next;
    /** Used on the thread of the timers alone. */
    private @Nullable SqlConnection connection;

    private volatile @Nullable Thread thread;

    Announcer(
            DataSource connections,
            ServerSettings settings,
            Dialect dialect,
            Environment environment,
            Watchers<Long> watchers) {
        this.connections = connections;
        this.settings = settings;
        this.dialect = dialect;
        this.ticker = environment.ticker();
        this.watchers = watchers;
        this.workDueAt = ticker.nanos();
        timers = environment.timers("interlock-postgres-announcer");
        queue = new TimerQueue<>(timers, ticker, due -> send());
        next = queue.entry(this, Duration.ZERO);
    }

    /**
     * A wake-up.
     *
     * @param client the client it is for, or empty for all
     * @param about the hash of what may have changed
     */
    record WakeUp(String client, long about) {

        static WakeUp ofAll(long about) {
            return new WakeUp("", about);
        }
    }

    /**
     * A key that a client may not have taken.
     *
     * @param key the key
     * @param token of the lease that was released; a later lease has a greater one
     * @param dueAt when to look
     */
    private record SecondLook(LockKey key, FencingToken token, long dueAt) {}

    synchronized void announce(Collection<WakeUp> wakeUps) {
        // What waits already is sent without another call of the thread.
        if (!closed && gathered.addAll(wakeUps)) {
            queue.advance(next, ticker.nanos());
        }
    }

    synchronized void announceWork(Collection<WakeUp> wakeUps) {
        if (!closed && work.addAll(wakeUps)) {
            queue.advance(next, workDueAt);
        }
    }

    /** The lease with {@code token} was released, and more clients wait than the one that is woken. */
    synchronized void lookAgain(LockKey key, FencingToken token) {
        if (!closed) {
            secondLooks.remove(key);
            long dueAt = ticker.nanos() + SECOND_LOOK.toNanos();
            secondLooks.put(key, new SecondLook(key, token, dueAt));
            queue.advance(next, dueAt);
        }
    }

    @Override
    public void close() {
        CountDownLatch sent = new CountDownLatch(1);
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        timers.after(Duration.ZERO, () -> {
            while (send()) {
                // A notification takes only so many.
            }
            discard();
            timers.close();
            sent.countDown();
        });
        // Watchers of this process are called on the thread that is to send.
        if (Thread.currentThread() != thread) {
            Listener.pause(sent, settings.timeoutMillis());
        }
    }

    /** Sends what is due, and says whether there is more to be sent. */
    private boolean send() {
        thread = Thread.currentThread();
        List<SecondLook> due = takeDue();
        if (!due.isEmpty()) {
            use(due.size(), open -> announce(stillFree(open, due)));
        }
        List<WakeUp> wakeUps = take();
        if (!wakeUps.isEmpty()) {
            // Those in this process need not wait for the way around.
            wakeUps.stream()
                    .filter(each -> each.client().isEmpty())
                    .forEach(each -> watchers.callThoseOf(each.about()));
            use(wakeUps.size(), open -> emit(open, wakeUps));
        }
        return sendRest();
    }

    private synchronized boolean sendRest() {
        if (!gathered.isEmpty()) {
            queue.advance(next, ticker.nanos());
        } else if (!work.isEmpty()) {
            queue.advance(next, workDueAt);
        }
        secondLooks.values().stream().findFirst().ifPresent(look -> queue.advance(next, look.dueAt()));
        return !(gathered.isEmpty() && work.isEmpty());
    }

    private synchronized List<SecondLook> takeDue() {
        long now = ticker.nanos();
        List<SecondLook> due = secondLooks.values().stream()
                .takeWhile(look -> look.dueAt() - now <= 0)
                .toList();
        due.forEach(look -> secondLooks.remove(look.key()));
        return due;
    }

    private synchronized List<WakeUp> take() {
        if (closed || workDueAt - ticker.nanos() <= 0) {
            if (!work.isEmpty()) {
                workDueAt = ticker.nanos() + WORK_EVERY.toNanos();
            }
            gathered.addAll(work);
            work.clear();
        }
        List<WakeUp> taken = gathered.stream().limit(MOST_AT_ONCE).toList();
        taken.forEach(gathered::remove);
        return taken;
    }

    @FunctionalInterface
    private interface Use {
        void run(SqlConnection connection) throws SQLException;
    }

    /** Uses the connection of last time or, if that fails, a new one. */
    private void use(int count, Use use) {
        Exception last = null;
        for (int attempt = connection == null ? 2 : 1; attempt <= 2; attempt++) {
            try {
                SqlConnection open = connection;
                if (open == null) {
                    open = new SqlConnection(connections.getConnection(), dialect);
                    connection = open;
                    open.jdbc().setAutoCommit(true);
                    open.jdbc().setNetworkTimeout(Runnable::run, settings.timeoutMillis());
                }
                use.run(open);
                return;
            } catch (SQLException | RuntimeException failure) {
                last = failure;
                discard();
            }
        }
        log.warn(
                "store {}: {} wake-ups could not be sent, waiters poll instead: {}",
                settings.store(),
                count,
                String.valueOf(last));
    }

    private void emit(SqlConnection open, List<WakeUp> wakeUps) throws SQLException {
        Map<String, StringBuilder> payloads = new LinkedHashMap<>();
        for (WakeUp each : wakeUps) {
            StringBuilder payload = payloads.computeIfAbsent(
                    KeyHash.channel(settings.names(), each.client()), channel -> new StringBuilder());
            payload.append(payload.isEmpty() ? "" : ",").append(Long.toHexString(each.about()));
        }
        Rows sent = new Rows();
        payloads.forEach((channel, payload) -> sent.add(channel, payload.toString()));
        open.trip().ask(NOTIFY, ResultSet::next, sent);
    }

    private static List<WakeUp> stillFree(SqlConnection open, List<SecondLook> looks) throws SQLException {
        Rows released = new Rows();
        looks.forEach(look -> released.add(
                look.key().tenant(), look.key().name(), look.token().value()));
        List<WakeUp> free = new ArrayList<>();
        Trip.Taker take = row -> free.add(WakeUp.ofAll(KeyHash.of(LockKey.of(row.getString(1), row.getString(2)))));
        open.trip().ask(STILL_FREE, Trip.forEach(take), released);
        return free;
    }

    private void discard() {
        SqlConnection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException unimportant) {
                log.debug("store {}: a connection could not be closed", settings.store(), unimportant);
            }
        }
    }
}
